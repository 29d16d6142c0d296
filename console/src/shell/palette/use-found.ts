import { useCall } from '../../api/queries.ts';
import { typePath } from '../../routing/record-paths.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { type Command, type CommandGroup, hasWords } from './commands.ts';

const limit = 6;

/** What has a name like the text, and whether more may come. */
export function useFound(text: string): { groups: CommandGroup[]; isSearching: boolean } {
  const search = useSettled(text);
  const request = { query: { search, limit } };
  const options = { enabled: search.length > 0, keepsLast: true };
  const flows = useCall('flows.list', request, options);
  const agents = useCall('agents.list', request, options);
  const products = useCall('products.list', request, options);
  const types = useCall('records.types', {}, options);
  if (search.length === 0) return { groups: [], isSearching: text.length > 0 };
  const commandsOf = (
    found: { data: { data: readonly { id: string; name: string }[] } | undefined },
    icon: Command['icon'],
    path: string,
  ): Command[] =>
    (found.data?.data ?? [])
      .filter(({ name }) => hasWords(name, text))
      .map(({ id, name }) => ({ id, label: name, icon, to: path + id }));
  const recordTypes = (types.data?.types ?? [])
    .map(({ type }) => type)
    .filter((type) => hasWords(type, text))
    .slice(0, limit)
    .map((type): Command => ({ id: `type ${type}`, label: type, icon: 'records', to: typePath(type) }));
  const groups = [
    { title: sharedTexts.flows, commands: commandsOf(flows, 'flows', '/flows/') },
    { title: sharedTexts.agents, commands: commandsOf(agents, 'agents', '/agents/') },
    { title: sharedTexts.recordTypes, commands: recordTypes },
    { title: sharedTexts.products, commands: commandsOf(products, 'products', '/products/') },
  ];
  return {
    groups: groups.filter(({ commands }) => commands.length > 0),
    isSearching: text !== search || [flows, agents, products, types].some(({ isFetching }) => isFetching),
  };
}
