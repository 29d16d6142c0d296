import * as z from 'zod';
import { commonConfig, VariablePath } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

export const CollectionName = Template.min(1).meta({
  description: 'One of your vector collections: any name of up to 255 characters',
});

export const storeVectorStep = defineStepType({
  type: 'store-vector',
  summary: 'Store vectors in a collection; replaces vectors with the same id',
  config: z.strictObject({
    vectorsSource: VariablePath.meta({
      description:
        'Names a variable with a vector, an object {id?, vector, metadata?}, or a list of up to 10,000 of these',
    }),
    destination: CollectionName.meta({
      description: 'The collection for the vectors; created if it does not exist',
    }),
    ...commonConfig,
  }),
  output: z.object({ collection: z.string(), count: z.int(), ids: z.array(z.string()) }),
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: false,
  permission: 'RECORDS:WRITE',
});
