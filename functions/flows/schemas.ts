import * as z from 'zod';
import { FlowStepsInput } from '../../shared/domain/flows/checking/flow-steps.ts';
import { FlowDescription, FlowName } from './response-schemas.ts';

export const UpdateFlowBody = z.strictObject({
  name: FlowName.optional(),
  description: FlowDescription.optional(),
  flowSteps: FlowStepsInput.optional(),
});

const example = {
  name: 'Describe airports',
  flowSteps: [
    {
      type: 'transform-data',
      name: 'Hemisphere',
      config: {
        script: "return Number(_record.metadata.latitude) > 0 ? 'north' : 'south'",
        outputVariable: 'hemisphere',
      },
    },
    {
      type: 'prompt',
      name: 'Describe',
      when: "hemisphere === 'north'",
      config: {
        model: 'gpt-5-mini',
        userPrompt: 'Describe {{ _record.metadata.name }} in one sentence.',
        outputVariable: 'description',
      },
    },
  ],
};

export const CreateFlowBody = UpdateFlowBody.extend({
  name: FlowName,
  steps: FlowStepsInput.optional().meta({
    description: 'An alias of `flowSteps`, which wins if both are sent',
  }),
}).meta({ examples: [example] });
