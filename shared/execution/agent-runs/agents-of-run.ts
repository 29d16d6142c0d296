import type { AgentsPort, Ports } from '../../adapters/ports.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentsPort } from './agents-port.ts';
import { execute } from './execute.ts';

/** The agents that a run of a flow runs. @param ports Those of the tenant. */
export const agentsOfRun = (
  scope: Scope,
  { userId, organizationId, runId: id }: { userId: string; organizationId: string | null; runId: string },
  ports: Ports,
): AgentsPort => {
  const parent = { ...{ id, rootAgentId: null, depth: 0, userId, organizationId }, isAgent: false };
  const inside = () => ({ ports, streamed: false, execute });
  return agentsPort(scope, { ...parent, surfaceType: 'api', background: false }, inside);
};
