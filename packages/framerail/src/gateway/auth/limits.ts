// The maxima and waits of telling who is calling.

/** A whole `Authorization` value; a signed token with a fair number of claims fits. */
export const AUTHORIZATION_LENGTH_MAX = 8_192;
/** The name of a user, in a token or named by a service. */
export const USER_ID_LENGTH_MAX = 255;

/** How far the clocks of an identity provider and of this process may be apart. */
export const JWT_CLOCK_TOLERANCE_S = 10;
/** A key set that is older is fetched again before it is used. */
export const JWKS_FRESH_MS = 600_000;
/** While it cannot be fetched, the last one serves; a key that was withdrawn meanwhile is good for no longer than this. */
export const JWKS_STALE_MS_MAX = 21_600_000;
/** Between two fetches that tokens with unknown keys cause. */
export const JWKS_COOLDOWN_MS = 30_000;
/** After a fetch that failed. */
export const JWKS_RETRY_MS = 5_000;
export const JWKS_TIMEOUT_MS = 5_000;
export const JWKS_BYTES_MAX = 262_144;

/** How long an API key is good after it was revoked or has expired, at most. */
export const KEY_CACHE_MS = 5_000;
export const KEY_CACHE_MAX = 10_000;
/** Keys that are looked up at the same time; what nobody can vouch for yet must not fill the database's queue. */
export const KEY_LOOKUPS_MAX = 64;

/** Until its first use a ticket is good for this long [D-18]. */
export const TICKET_FIRST_USE_MS = 30_000;
/** As long as the frames of a turn are kept [D-19]. */
export const TICKET_MS_MAX = 86_400_000;
export const TICKETS_MAX = 20_000;

/** One tenant's requests to one process: what may go on, and what may come at once. */
export const REQUESTS_PER_SECOND = 200;
export const REQUESTS_BURST = 400;
export const RATE_TENANTS_MAX = 10_000;
/** One tenant's open streams on one process. */
export const STREAMS_PER_TENANT_MAX = 1_000;
/** Nobody knows when a stream ends; this is what one who found no room is told to wait. */
export const STREAMS_RETRY_S = 5;

/** How long a browser may remember the answer to a preflight. */
export const PREFLIGHT_AGE_S = 600;
