import type { Client } from '../../../client/src/client.ts';
import { CliError } from '../cli-error.ts';

interface Named {
  id: string;
  name: string | null;
}

interface Kind {
  what: string;
  prefix: string;
  search: (client: Client, name: string) => AsyncIterable<Named>;
}

const kinds = {
  flow: {
    what: 'flow',
    prefix: 'flow_',
    search: ({ flows }, search) => flows.iterate({ query: { search, limit: 100 } }),
  },
  agent: {
    what: 'agent',
    prefix: 'agent_',
    search: ({ agents }, search) => agents.iterate({ query: { search, limit: 100 } }),
  },
  record: {
    what: 'record',
    prefix: 'record_',
    search: ({ records }, name) => records.iterate({ query: { name, limit: 100, includeFields: 'name' } }),
  },
} satisfies Record<string, Kind>;

/** The id of what a person names by its id or its name. @throws CliError unless exactly one has the name */
export async function findId(client: Client, kind: keyof typeof kinds, text: string): Promise<string> {
  const { what, prefix, search } = kinds[kind];
  if (text.startsWith(prefix)) return text;
  const found: string[] = [];
  for await (const { id, name } of search(client, text)) if (name === text) found.push(id);
  const [id] = found;
  if (!id) throw new CliError(`There is no ${what} with the name ${text}`);
  if (found.length > 1) {
    throw new CliError(`${found.length} ${what}s have the name ${text}. Use an id: ${found.join(', ')}`);
  }
  return id;
}
