import { FramerailError } from "@framerail/protocol";
import { expect, test } from "vitest";
import { connectError, storeError } from "./failure.js";

const withCode = (code?: string) => Object.assign(new Error("said so"), { code });
const codeOf = (error: unknown) => (error as { code?: unknown }).code;

test.each(["23505", "40001", "42P01", "P0001", "XX000"])(
  "a refusal by the database (%s) is thrown as it is, also at the commit",
  (code) => {
    const error = withCode(code);
    expect(storeError(error, false)).toBe(error);
    expect(storeError(error, true)).toBe(error);
  },
);

// EPIPE and EPERM have five capitals, like the database's own codes.
test.each([undefined, "ECONNRESET", "EPIPE", "EPERM", "08006", "57P01", "57P03", "25P03"])(
  "a line that broke (%s) leaves a commit unknown and everything else undone [D-4]",
  (code) => {
    expect(codeOf(storeError(withCode(code), false))).toBe("STORE_UNAVAILABLE");
    expect(codeOf(storeError(withCode(code), true))).toBe("COMMIT_UNKNOWN");
  },
);

test.each(["53100", "53200", "58030", "55P03", "57014", "25006"])(
  "a server that cannot at present (%s) is unavailable, and a commit it answered is not unknown [D-4]",
  (code) => {
    expect(codeOf(storeError(withCode(code), true))).toBe("STORE_UNAVAILABLE");
    expect(storeError(withCode(code), false)).toMatchObject({ retry: "same_call", cause: { code } });
  },
);

test("an error that has its meaning already keeps it", () => {
  const error = new FramerailError("NOT_FOUND", "no such session");
  expect(storeError(error, true)).toBe(error);
});

test("a connection is refused for good where asking again changes nothing, and else for now", () => {
  for (const code of ["28P01", "28000", "3D000", "42501"])
    expect(connectError(withCode(code))).toMatchObject({
      code: "STORE_REFUSED",
      message: expect.stringMatching(/said so$/) as string,
    });
  for (const code of ["53300", "57P03", "ECONNREFUSED", undefined])
    expect(connectError(withCode(code)).code).toBe("STORE_UNAVAILABLE");
});
