// A name on TLS for a day, which nobody but the tests trusts.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { findProgram } from "../../packages/framerail/src/testing/programs.js";

/** Writes a key and a certificate that it signs itself, for this machine, into the folder. */
export function createIdentity(folder: string): { readonly keyPath: string; readonly certPath: string } {
  const [keyPath, certPath] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const args = ["req", ...kind, ...names, "-keyout", keyPath, "-out", certPath];
  execFileSync(findProgram("openssl"), args, { stdio: "ignore" });
  return { keyPath, certPath };
}
