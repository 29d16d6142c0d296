import type { Ports } from '../../adapters/ports/ports.ts';

/** Fails whatever is called: a forecast reaches nothing outside. */
const closed = <Port extends object>(name: string): Port =>
  new Proxy({} as Port, {
    get: (_port, member) => () => {
      throw new Error(`A forecast must not call ${name}.${String(member)}`);
    },
  });

/** The ports of a run, of which only those work that plan: they read what names mean, and run scripts. */
export function rehearsalPorts({ now, secrets, sandbox, tools, model, agents }: Ports): Ports {
  const refused = (name: string) => () => {
    throw new Error(`A forecast must not call ${name}`);
  };
  return {
    now,
    secrets,
    sandbox,
    tools,
    model: { ...model, stream: refused('model.stream') },
    agents: { ...agents, run: refused('agents.run') },
    embed: refused('embed'),
    fetch: refused('fetch'),
    searchAccount: refused('searchAccount'),
    records: closed('records'),
    vectors: closed('vectors'),
    memory: closed('memory'),
    assets: closed('assets'),
    messages: closed('messages'),
    mcp: closed('mcp'),
    a2a: closed('a2a'),
    flows: closed('flows'),
  };
}
