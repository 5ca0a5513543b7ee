// The maxima of a registry's files. They bound what one check reads and holds; people write far less.

/** One fragment or locale file. */
export const FILE_BYTES_MAX = 131_072;

/** Folders under `verticals`, and files under `locales`, that are looked at. */
export const FILES_MAX = 256;

/** Nesting of a file, in the parser's own steps: about two for each level a person sees. */
export const YAML_DEPTH_MAX = 32;

/** Ids, keys, names of emitters, owners and groups. */
export const NAME_LENGTH_MAX = 256;

/** The description of an entry. */
export const DESCRIPTION_LENGTH_MAX = 2_000;

/** One message in ICU syntax: a status is a sentence. */
export const MESSAGE_LENGTH_MAX = 1_000;

/** How long an entry may ask a batch to wait. */
export const BATCH_WINDOW_MS_MAX = 5_000;

/** Above this many ids the catalogue wants to be reorganised; nothing is refused for it [W-NFR-3, W-R-7]. */
export const IDS_SOFT_MAX = 50;
