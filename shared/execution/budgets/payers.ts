import type { Payer } from '../../adapters/ports/payer.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';

interface Owner {
  origin?: RunOrigin | undefined;
  surface?: RunSurface | undefined;
}

/** On whose account a run calls models, by what started it. */
export function runPayers({ origin, surface }: Owner): Payer[] {
  const { trigger } = origin ?? {};
  const known = {
    product: trigger?.productId ?? surface?.productId,
    surface: trigger?.surfaceId ?? surface?.surfaceId,
    apiKey: trigger?.apiKeyId,
    clientToken: origin?.clientTokenId,
  };
  return Object.entries(known).flatMap(([type, id]) =>
    id ? [{ type: type as keyof typeof known, id }] : [],
  );
}

/** The ports of a flow or an agent: calls of models are on its account too, and those of the agents that it runs. */
export function paidBy(ports: Ports, payer: Payer): Ports {
  const add = <Request extends { payers?: readonly Payer[] | undefined }>(request: Request): Request => ({
    ...request,
    payers: [...(request.payers ?? []), payer],
  });
  return {
    ...ports,
    model: { ...ports.model, stream: (request) => ports.model.stream(add(request)) },
    embed: (request) => ports.embed(add(request)),
    agents: { ...ports.agents, run: (request) => ports.agents.run(add(request)) },
  };
}
