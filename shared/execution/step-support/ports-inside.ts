import type { ListedParent } from '../../adapters/ports/agents-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';

/** The ports of a listed run. What runs through them runs in it, unless a run inside of it has said so of itself before. */
export const setParentRun = (ports: Ports, parent: ListedParent): Ports => ({
  ...ports,
  flows: { run: (request) => ports.flows.run({ parent, ...request }) },
  agents: { ...ports.agents, run: (request) => ports.agents.run({ parent, ...request }) },
});
