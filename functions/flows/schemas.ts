import * as z from 'zod';
import { FlowStepsInput } from '../../shared/flows/steps/parse.ts';
import { FlowDescription, FlowName } from './answers.ts';

export const UpdateFlowBody = z.strictObject({
  name: FlowName.optional(),
  description: FlowDescription.optional(),
  flowSteps: FlowStepsInput.optional(),
});

export const CreateFlowBody = UpdateFlowBody.extend({
  name: FlowName,
  steps: FlowStepsInput.optional().meta({
    description: 'Another name of flowSteps, which wins if both are sent',
  }),
});
