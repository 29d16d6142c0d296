import * as z from 'zod';
import { commonConfig, VariablePath } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

export const CollectionName = Template.min(1).meta({
  description: 'One of your collections of vectors: any name of up to 255 characters',
});

export const storeVectorStep = defineStepType({
  type: 'store-vector',
  summary: 'Keep vectors in a collection; one of the same id is replaced',
  config: z.strictObject({
    vectorsSource: VariablePath.meta({
      description: 'Holds a vector, an object {id?, vector, metadata?}, or a list of up to 10,000 of these',
    }),
    destination: CollectionName.meta({
      description: 'The collection that takes them, which is made when it is not there',
    }),
    ...commonConfig,
  }),
  output: z.object({ collection: z.string(), count: z.int(), ids: z.array(z.string()) }),
  effects: true,
  takesSecrets: false,
  permission: 'RECORDS:WRITE',
});
