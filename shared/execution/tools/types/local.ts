import { localTool } from '../../../domain/tools/tool-types/local.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';

export const localToolRunner = defineToolRunner(localTool, {
  plan: ({ name, args }) => ({ request: { toolName: name, arguments: args } }),
  perform: () => ({ awaitsCaller: true }),
  repeatable: () => false,
});
