// The option of every command that reads a registry: a registry is served with the default it was checked with.

import { DEFAULT_LOCALE } from "../registry/load-registry.js";

export const LOCALE_OPTION = [
  "--default-locale <tag>",
  "where a missing language falls back to",
  DEFAULT_LOCALE,
] as const;

export interface LocaleOption {
  readonly defaultLocale: string;
}
