import { describe, expect, test } from "vitest";
import { createConnectionReports } from "./connection-reports.js";
import type { ConnectionFacts } from "./describe-connection.js";
import { describeConnection } from "./describe-connection.js";

const facts = (news: Partial<ConnectionFacts>): ConnectionFacts => ({
  connection: "streaming",
  cut: undefined,
  seq: 17,
  isOnline: true,
  failureCode: undefined,
  ...news,
});
const cut = { code: "STREAM_TRUNCATED", attempt: 2, retryInMs: 1_500 } as const;
const said = (news: Partial<ConnectionFacts>) => describeConnection(facts(news))?.text;

describe("the connection line", () => {
  test("says that the server went away, where it will go on and when it tries again [G3]", () => {
    expect(said({ connection: "waiting", cut })).toBe(
      "The server went away. Going on after frame 17. Attempt 3 in 1.5 s.",
    );
    expect(said({ connection: "resuming", cut })).toBe("Reconnecting… attempt 3. Going on after frame 17.");
    expect(said({ connection: "waiting", cut, seq: 0 })).toContain("Nothing was read yet.");
  });

  test("speaks of being offline only where the connection has trouble", () => {
    expect(said({ isOnline: false })).toBe("Live");
    expect(said({ connection: "waiting", cut, isOnline: false })).toMatch(/^Offline: this browser has no network\./);
  });

  test("says that a message whose answer was lost is sent again under the same key", () => {
    expect(said({ connection: "opening" })).toBe("Sending…");
    expect(said({ connection: "opening", cut })).toBe("Sending again under the same key… attempt 3");
  });

  test("gives the reason for giving up by its code, and never says that all is well", () => {
    expect(said({ connection: "failed", failureCode: "NOT_FOUND" })).toMatch(/does not know .* \(NOT_FOUND\)$/);
    expect(said({ connection: "failed", failureCode: "STREAM_TRUNCATED" })).toMatch(/may still be running/);
    expect(said({ connection: "failed" })).toMatch(/not known/);
    expect(describeConnection(facts({ connection: "ended" }))).toBeUndefined();
  });
});

test("a cut is remembered until the turn goes on, and how often it did is counted", () => {
  const reports = createConnectionReports();
  reports.take({ kind: "cut", turnId: undefined, code: "STREAM_TRUNCATED", attempt: 1, retryInMs: 10 });
  expect(reports.cutOf(undefined)).toMatchObject({ attempt: 1 });
  reports.take({ kind: "resumed", turnId: "t" });
  expect([reports.cutOf(undefined), reports.cutOf("t"), reports.resumesOf("t")]).toEqual([undefined, undefined, 1]);
  reports.take({ kind: "cut", turnId: "t", code: "STREAM_TRUNCATED", attempt: 4, retryInMs: 10 });
  expect(reports.cutOf("t")).toMatchObject({ attempt: 4 });
  expect(reports.cutOf("other")).toBeUndefined();
});
