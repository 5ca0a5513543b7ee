import { afterEach, describe, expect, test, vi } from "vitest";
import { ATTEMPTS_MAX, HIDDEN_MS_MAX } from "./limits.js";
import type { PageSight } from "./page.js";
import { browserPage } from "./page.js";
import type { SetUp } from "./testing/story.js";
import { collect, setUp } from "./testing/story.js";

const SLOW = [
  [0, { event_type: "response_id" }],
  [10_000, { event_type: "text", chunk: "a" }],
  [HIDDEN_MS_MAX, { event_type: "text", chunk: "b" }],
  [HIDDEN_MS_MAX, { event_type: "completed" }],
] as const;

function onPage(fault?: SetUp["fault"]) {
  let tell: (sight: PageSight) => void = () => undefined;
  let watching = 0;
  const page = {
    watch(onChange: (sight: PageSight) => void) {
      tell = onChange;
      watching += 1;
      return () => {
        watching -= 1;
      };
    },
  };
  const all = setUp({ script: SLOW, client: { page }, ...(fault && { fault }) });
  return { ...all, show: (sight: PageSight) => tell(sight), watching: () => watching };
}

describe("a turn on a page", () => {
  test.each(["hidden", "gone"] as const)(
    "that is %s gives its connection back, and goes on when it is seen again [G5]",
    async (sight) => {
      const { clock, server, session, show, timers, watching } = onPage();
      const turn = session.send("hello");
      await clock.pass(10_000);
      show(sight);
      await clock.pass(HIDDEN_MS_MAX);
      expect([turn.state.connection, server.open, timers.waiting]).toEqual(["detached", 0, 0]);
      expect(turn.state.outcome).toBeUndefined();
      show("visible");
      const frames = await clock.until(collect(turn));
      expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
      expect([watching(), timers.waiting]).toEqual([0, 0]);
    },
  );

  test("that is hidden for a moment keeps its connection", async () => {
    const { clock, server, session, show } = onPage();
    const turn = session.send("hello");
    await clock.pass(10);
    show("hidden");
    await clock.pass(HIDDEN_MS_MAX / 2);
    show("visible");
    await clock.pass(HIDDEN_MS_MAX);
    expect(turn.state.connection).not.toBe("detached");
    await clock.until(turn.outcome);
    expect(server.turns).toHaveLength(1);
  });

  test("that comes back has all its attempts again", async () => {
    let failures = 0;
    const { clock, session, show } = onPage(({ path }) => {
      failures += path.endsWith("/turns") ? 1 : 0;
      return path.endsWith("/turns") && failures < ATTEMPTS_MAX + 5 ? { kind: "network" } : undefined;
    });
    const turn = session.send("hello");
    while (failures < ATTEMPTS_MAX - 1) await clock.pass(1_000);
    show("gone");
    show("visible");
    expect(await clock.until(turn.text)).toBe("ab");
  });

  test("that its reader has left stays left when the page is seen again [G5]", async () => {
    const { clock, session, show, watching, server } = onPage();
    const turn = session.send("hello");
    await clock.pass(10);
    turn.detach();
    show("visible");
    await clock.pass(HIDDEN_MS_MAX);
    expect([turn.state.connection, watching(), server.open]).toEqual(["detached", 0, 0]);
  });
});

describe("the browser's page", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("tells when it is hidden, left, and seen again, until nobody asks", () => {
    const events = new EventTarget();
    const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
    vi.stubGlobal("document", document);
    vi.stubGlobal("addEventListener", events.addEventListener.bind(events));
    vi.stubGlobal("removeEventListener", events.removeEventListener.bind(events));
    const sights: PageSight[] = [];
    const unwatch = browserPage()?.watch((sight) => sights.push(sight));
    const change = (state: string) => {
      document.visibilityState = state;
      document.dispatchEvent(new Event("visibilitychange"));
    };
    change("hidden");
    change("visible");
    events.dispatchEvent(new Event("pagehide"));
    events.dispatchEvent(new Event("pageshow"));
    expect(sights).toEqual(["hidden", "visible", "gone", "visible"]);
    unwatch?.();
    change("hidden");
    events.dispatchEvent(new Event("pagehide"));
    expect(sights).toHaveLength(4);
  });

  test("is not there where there is no document", () => {
    expect(browserPage()).toBeUndefined();
  });
});
