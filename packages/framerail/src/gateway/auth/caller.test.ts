import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { Caller } from "./caller.js";
import { onBehalfOf, readTenantId } from "./caller.js";
import { USER_ID_LENGTH_MAX } from "./limits.js";

const tenantId = randomUUID();
const service: Caller = { tenantId, userId: undefined, kind: "service", subject: "key:1" };
const user: Caller = { tenantId, userId: "user_1", kind: "user", subject: "user:1" };

test("a service speaks for the user that it names, and stays the same subject [D-18]", () => {
  expect(onBehalfOf(service, "user_2")).toEqual({ ...service, userId: "user_2" });
  expect(onBehalfOf(service, undefined)).toBe(service);
});

test("a user may name itself and nobody else [D-18]", () => {
  expect(onBehalfOf(user, "user_1")).toBe(user);
  expect(onBehalfOf(user, undefined)).toBe(user);
  for (const other of ["user_2", "", "USER_1", "user_1 "])
    expect(() => onBehalfOf(user, other)).toThrow(expect.objectContaining({ code: "FORBIDDEN" }));
});

test("a service that names what is no user's id is refused, without its words [G7]", () => {
  for (const name of ["", "a\0b", "a\nb", "\ud800", "x".repeat(USER_ID_LENGTH_MAX + 1)])
    expect(() => onBehalfOf(service, name)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", message: "a user's id is 1 to 255 printable characters" }),
    );
  expect(onBehalfOf(service, "Zoë 😀|x").userId).toBe("Zoë 😀|x");
});

test("a tenant's id is a UUID in one spelling, whatever letters it came in [D-13]", () => {
  expect(readTenantId(tenantId.toUpperCase())).toBe(tenantId);
  for (const value of [
    undefined,
    null,
    1,
    "",
    [tenantId],
    `${tenantId}\n`,
    `{${tenantId}}`,
    tenantId.replaceAll("-", ""),
  ])
    expect(readTenantId(value)).toBeUndefined();
});
