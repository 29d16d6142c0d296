import { webSearchTool } from '../../../domain/tools/builtin/web-search.ts';
import { defineBuiltinRunner } from '../../tool-support/tool-runner.ts';
import { searchWeb } from '../../tool-support/web-search.ts';

export const webSearchToolRunner = defineBuiltinRunner(webSearchTool, {
  perform: async (args, { ports, signal }) => ({ output: await searchWeb(args, { ports, signal }) }),
});
