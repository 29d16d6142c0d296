import { finished } from 'node:stream/promises';
import { requireEnv } from '../../core/environment.ts';
import { tooManyAtOnce } from '../../core/errors/errors.ts';
import { isStorageFull } from '../aws/storage-full.ts';
import type { PlaceWrite, RequestPlace, Scope } from '../data/scope.ts';
import { acquirePlace, claimLastPlace, type Pool, type TenantPlace } from '../tenant-pools.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { StreamedBody } from './responses/streamed-body.ts';

/** A request that may last as long as its Lambda: it runs something for its caller, or reads what does not end at once. */
export type Open = 'run' | 'reader';

const variable = 'TENANT_OPEN_REQUESTS';
const pools: Record<Open, Pool> = {
  run: { name: 'open-runs', variable },
  reader: { name: 'open-readers', variable },
};

const refusals: Record<Open, (max: string) => string> = {
  run: (max) =>
    `${max} runs are open in front of callers, which is the limit of a tenant. Wait until one ends, or start an agent with options.background, or a flow as a batch`,
  reader: (max) =>
    `${max} requests are reading events or exports, which is the limit of a tenant. Wait until one ends`,
};
const retryAfterSeconds = 10;

export interface OpenRequest {
  /** Gives the place back when the work has ended: its body is sent, and nothing writes it any more. Never fails. */
  releaseAfter: (reply: unknown) => Promise<void>;
  /** Gives it back before, in the transaction that ends its work. */
  releaseIn: () => PlaceWrite | undefined;
}

/** Costs a write, and one to give it back. @throws 429 if none is free */
export async function openRequest(
  scope: Scope,
  { open = 'brief' }: AnyEndpoint,
  request: object,
): Promise<OpenRequest | undefined> {
  const kind = typeof open === 'function' ? open(request as never) : open;
  if (kind === 'brief') return undefined;
  const place = await acquirePlace(scope, pools[kind]).catch((error): 'uncounted' => {
    if (kind === 'reader' && isStorageFull(error)) return 'uncounted';
    throw error;
  });
  // Reads go on while the disk is full.
  if (place === 'uncounted') return undefined;
  if (!place) throw tooMany(kind);
  return toOpenRequest(() => place);
}

/** A run whose handler acquires its place: see `takesPlace` of endpoints. */
export function openLater(scope: Scope): OpenRequest & { place: RequestPlace } {
  let place: TenantPlace | undefined;
  return {
    ...toOpenRequest(() => place),
    place: {
      join() {
        const claimed = claimLastPlace(scope, pools.run);
        const done = () => {
          place = claimed?.hold();
        };
        return claimed && { write: claimed.write, done };
      },
      async acquire() {
        place ??= await acquirePlace(scope, pools.run);
        if (!place) throw tooMany('run');
      },
    },
  };
}

const tooMany = (kind: Open) => tooManyAtOnce(refusals[kind](requireEnv(variable)), retryAfterSeconds);

const toOpenRequest = (getPlace: () => TenantPlace | undefined): OpenRequest => ({
  async releaseAfter(reply) {
    const { stream, written } = (reply ?? {}) as Partial<StreamedBody>;
    if (stream) await Promise.allSettled([finished(stream), written]);
    await getPlace()?.release();
  },
  releaseIn: () => getPlace()?.releaseIn(),
});
