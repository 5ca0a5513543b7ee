import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "./cursor.js";

const ID = "msg_3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b";
const REFUSED = { code: "INVALID_ARGUMENT" };
const encode = (text: string) => Buffer.from(text).toString("base64url");

describe("cursors of a history", () => {
  test("a cursor leads back to the message it was made of [I-20]", () => {
    for (const role of ["user", "assistant"] as const)
      for (const created_at of [0, 1_699_999_999_000, 253_402_300_799_999]) {
        const place = { created_at, role, _id: ID };
        expect(decodeCursor(encodeCursor(place))).toEqual(place);
      }
  });

  test("a cursor can stand in an address as it is [I-20]", () => {
    expect(encodeCursor({ created_at: 5, role: "user", _id: ID })).toMatch(/^[\w-]+$/);
  });

  test.each([
    [""],
    ["10"],
    [ID],
    [encode(`5.${ID}`)],
    [encode(`5.system.${ID}`)],
    [encode(`05.user.${ID}`)],
    [encode(`-5.user.${ID}`)],
    [encode(`1e3.user.${ID}`)],
    [encode(`253402300800000.user.${ID}`)],
    [encode(`9999999999999999.user.${ID}`)],
    [encode(`5.user.${ID.toUpperCase()}`)],
    [encode(`5.user.${ID}\n`)],
    [encode("5.user.msg_' or true --")],
    [`${encode(`5.user.${ID}`)}=`],
    [`${encode(`5.user.${ID}`)} `],
    [`.${encode(`5.user.${ID}`)}`],
    ["\0"],
    ["\ud800"],
  ])("%j is no cursor [I-20]", (text) => {
    expect(() => decodeCursor(text)).toThrow(expect.objectContaining(REFUSED));
  });

  test("any text is the cursor of one place or refused, and never a raw error [I-20]", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.base64String(), fc.string().map(encode)), (text) => {
        try {
          expect(encodeCursor(decodeCursor(text))).toBe(text);
        } catch (error) {
          expect(error).toMatchObject(REFUSED);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
