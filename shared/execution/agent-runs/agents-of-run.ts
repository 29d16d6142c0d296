import type { AgentsPort } from '../../adapters/ports/agents-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { ParentListing } from '../../domain/runs/run-origin.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentsPort } from './agents-adapter.ts';
import { executeAgentRun } from './execute-agent-run.ts';

interface Owner {
  userId: string;
  organizationId: string | null;
  runId: string;
  surface?: RunSurface | undefined;
  listing: ParentListing;
}

/** The agents that a run of a flow runs. @param ports Those of the tenant. */
export const agentsOfRun = (
  scope: Scope,
  { userId, organizationId, runId: id, surface, listing }: Owner,
  ports: Ports,
): AgentsPort => {
  const parent = {
    id,
    rootAgentId: null,
    depth: surface?.depth ?? 0,
    userId,
    organizationId,
    isAgent: false,
    listing,
  };
  const getInside = () => ({ ports, streamed: false, execute: executeAgentRun });
  const surfaceType = surface?.type ?? 'api';
  return agentsPort(scope, { ...parent, surface, surfaceType, background: false }, getInside);
};
