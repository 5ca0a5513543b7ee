// The shop of the examples, at once: the assistant with two sub-agents, and the finder of one intent.

import { createShop } from "../../../examples/shop/agent.js";
import { createOfferFinder } from "../../../examples/shop/offer-finder.js";

const AT_ONCE = Number.POSITIVE_INFINITY;

export default [await createShop(AT_ONCE), await createOfferFinder(AT_ONCE)];
