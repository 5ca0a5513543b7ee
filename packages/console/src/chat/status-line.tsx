// The one line that says what the agent is doing, in the reader's language [W-MAP-5].

import type { Progress } from "@framerail/client";
import { directionOf } from "../sessions/locales.js";

export function StatusLine({ progress, locale }: { readonly progress: Progress | undefined; readonly locale: string }) {
  if (progress === undefined) return null;
  const isStatus = progress.kind === "status";
  return (
    <p className="status" {...(isStatus && { lang: locale, dir: directionOf(locale) })}>
      <span className="pulse" aria-hidden="true" />
      <span>{isStatus ? progress.message : "Thinking…"}</span>
    </p>
  );
}
