import { StepError } from '../../../core/errors/step-error.ts';
import { searchTool } from '../../../domain/tools/tool-types/search.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';
import { searchWeb } from '../../tool-support/web-search.ts';

const queryCharactersMax = 1_000;

export const searchToolRunner = defineToolRunner(searchTool, {
  plan: ({ config, args }) => ({ request: { ...config, query: getQuery(args) } }),
  async perform({ provider, ...search }, { ports, signal }) {
    return { output: await searchWeb({ ...search, service: provider }, { ports, signal }) };
  },
  repeatable: () => true,
});

/** @throws StepError */
function getQuery({ query }: Record<string, unknown>): string {
  if (typeof query === 'string' && query.length <= queryCharactersMax) return query;
  throw new StepError(
    `A tool of the type search needs the argument query: a text of up to ${queryCharactersMax} characters`,
  );
}
