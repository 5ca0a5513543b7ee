// Who a turn runs for. Handed on explicitly, from the request to every tool; never looked up in an ambient scope, where
// a generator pulled in another turn's scope would find the wrong one.

export interface Principal {
  readonly tenant_id: string;
  readonly user_id: string;
}
