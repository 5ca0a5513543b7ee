import { expect, test } from "vitest";
import { isUuid } from "./uuid.js";

test("only the text of a UUID in lower case is an id", () => {
  expect(isUuid("00000000-0000-4000-8000-00000000000a")).toBe(true);
  for (const other of ["", "x", "00000000-0000-4000-8000-00000000000", "00000000-0000-4000-8000-00000000000A"]) {
    expect(isUuid(other)).toBe(false);
  }
  for (const other of [undefined, null, 7, ["00000000-0000-4000-8000-00000000000a"]]) expect(isUuid(other)).toBe(false);
});
