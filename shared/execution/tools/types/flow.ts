import { flowTool } from '../../../domain/tools/tool-types/flow.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';

export const flowToolRunner = defineToolRunner(flowTool, {
  plan: ({ config: { flowId }, args }) => ({ request: { flowId, variables: args } }),
  perform: ({ flowId, variables: inputs }, { ports, signal, callId }) =>
    ports.flows.run({ flowId, inputs, ports, callId, signal }),
  repeatable: () => false,
});
