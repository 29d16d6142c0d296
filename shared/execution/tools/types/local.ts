import { localTool } from '../../../domain/tools/tool-types/local.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';

export const local = defineToolRunner(localTool, {
  run: () => ({ awaitsCaller: true }),
  repeatable: () => false,
  preview: ({ name, args }) => ({ toolName: name, arguments: args }),
});
