import { expect, test } from "vitest";
import { readJwtSettings } from "./jwt-settings.js";

const SET = {
  FRAMERAIL_JWKS_URL: "https://id.example.org/keys",
  FRAMERAIL_JWT_ISSUER: "https://id.example.org/",
  FRAMERAIL_JWT_AUDIENCE: "framerail",
};

function messageOf(env: Record<string, string | undefined>): string {
  try {
    readJwtSettings({ ...SET, ...env });
    return "taken";
  } catch (error) {
    expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
    return (error as Error).message;
  }
}

test("an environment that says nothing of tokens takes none [D-18]", () => {
  expect(readJwtSettings({})).toBeUndefined();
  expect(readJwtSettings({ FRAMERAIL_JWKS_URL: "", FRAMERAIL_JWT_ISSUER: "", PORT: "1" })).toBeUndefined();
});

test("the settings are three, and a part of them is refused with the names of the others [D-18]", () => {
  expect(readJwtSettings(SET)).toEqual({
    jwksUrl: new URL(SET.FRAMERAIL_JWKS_URL),
    issuer: SET.FRAMERAIL_JWT_ISSUER,
    audience: "framerail",
  });
  for (const name of Object.keys(SET)) expect(messageOf({ [name]: undefined })).toBe(`${name} must be set too`);
});

test("keys come over TLS or from this machine, and a password in the address is not shown [G7]", () => {
  for (const url of ["http://127.0.0.1:8080/keys", "http://localhost/keys", "http://[::1]:1/keys"])
    expect(messageOf({ FRAMERAIL_JWKS_URL: url })).toBe("taken");
  for (const url of ["http://id.example.org/keys", "http://127.0.0.1.example.org/", "file:///etc/keys", "data:,{}"])
    expect(messageOf({ FRAMERAIL_JWKS_URL: url })).toContain("https://");
  for (const url of ["nonsense", "https://someone:secret@id.example.org/"]) {
    expect(messageOf({ FRAMERAIL_JWKS_URL: url })).toContain("without a user or a password");
    expect(messageOf({ FRAMERAIL_JWKS_URL: url })).not.toContain("secret");
  }
});
