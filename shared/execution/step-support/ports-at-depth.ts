import type { ListedParent } from '../../adapters/ports/agents-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { addDepth } from '../../core/agent-depth.ts';

/** The ports of a run at a depth, which tell other servers how deep it is. So loops through this service end. */
export const setPortsDepth = (ports: Ports, depth: number): Ports => ({
  ...ports,
  a2a: {
    send: (request) => ports.a2a.send({ ...request, headers: addDepth(request.headers, depth) }),
  },
  mcp: {
    ...ports.mcp,
    callTool: (call) => ports.mcp.callTool({ ...call, context: addDepth(call.context ?? {}, depth) }),
  },
});

/** The ports of an agent, whose calls of flows may be suspended with its run. */
export const letFlowsWait = (ports: Ports, canWait: boolean): Ports =>
  canWait ? { ...ports, flows: { run: (request) => ports.flows.run({ ...request, canWait }) } } : ports;

/** The ports of a listed run. What runs through them runs in it, unless a run inside of it has said so of itself before. */
export const setParentRun = (ports: Ports, parent: ListedParent): Ports => ({
  ...ports,
  flows: { run: (request) => ports.flows.run({ parent, ...request }) },
  agents: { ...ports.agents, run: (request) => ports.agents.run({ parent, ...request }) },
});
