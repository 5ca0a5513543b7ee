import { createFrameEncoder, createSseFraming, systemClock } from "@framerail/protocol";
import { expect, test } from "vitest";
import { wireFormat } from "./wire-format.js";

const SEPARATORS = "\u0085\u2028\u2029";

test.each(["sse", "ndjson"] as const)(
  "%s of every version writes separators of lines as escapes and the text unchanged [D-8] [W-RB-3]",
  (transport) => {
    const framing = createSseFraming({ idPrefix: "turn-1.1." });
    const encoder = createFrameEncoder({ responseId: "turn-1", clock: systemClock, framing });
    const stored = Buffer.from(encoder.encode("text", 1, { chunk: `one${SEPARATORS}two` }));
    for (const version of ["0.4", "0.5"] as const) {
      const { project } = wireFormat(transport, version);
      const sent = project === undefined ? stored.toString() : project(stored);
      for (const separator of SEPARATORS) expect(sent, version).not.toContain(separator);
      const [, json = ""] = /^(?:data: )?(\{.*)$/m.exec(sent) ?? [];
      expect(JSON.parse(json)).toMatchObject({ version, chunk: `one${SEPARATORS}two` });
    }
  },
);
