import { flowTool } from '../../../domain/tools/tool-types/flow.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';

export const flow = defineToolRunner(flowTool, {
  run: ({ config: { flowId }, args, ports, signal }) =>
    ports.flows.run({ flowId, inputs: args, ports, signal }),
  repeatable: () => false,
  preview: ({ config: { flowId }, args }) => ({ flowId, variables: args }),
});
