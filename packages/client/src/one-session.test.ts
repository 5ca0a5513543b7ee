import { expect, test } from "vitest";
import { collect, STORY, setUp } from "./testing/story.js";

test("two messages around a ready are of one session, whichever of the two that were opened is answered first", async () => {
  let attempts = 0;
  const { clock, server, session } = setUp({
    fault({ path }) {
      if (path !== "/v1/sessions") return undefined;
      attempts += 1;
      return attempts === 1 ? { kind: "network" } : undefined;
    },
  });
  const ready = session.ready();
  const turn = session.send("one");
  await clock.until(Promise.all([turn.outcome, ready]));
  await clock.until(session.send("two").outcome);
  const paths = server.seen.map(({ path }) => path).filter((path) => path.endsWith("/turns"));
  expect(paths).toHaveLength(2);
  expect(new Set(paths).size).toBe(1);
});

test("a turn that was left before its first frame is read on as the documents say", async () => {
  const { clock, client, session } = setUp({
    fault: ({ path }) => (path.endsWith("/turns") ? { kind: "silence", bytes: 1 } : undefined),
  });
  const long = session.send("hello");
  await clock.pass(5);
  long.detach();
  expect([long.turnId, long.cursor]).toEqual(["turn-1", undefined]);
  const again = client.turn(long.turnId ?? "", { after: long.cursor });
  expect(await clock.until(collect(again))).toHaveLength(STORY.length);
});
