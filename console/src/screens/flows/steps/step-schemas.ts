import { schemas } from 'virtual:step-schemas';
import { type JsonSchema, resolved } from '../../../ui/values/schema.ts';

/** The schema of a step of a type. */
export const stepSchema = (type: string): JsonSchema =>
  (schemas.oneOf ?? [])
    .map((each) => resolved(each, schemas))
    .find(({ properties }) => properties?.type?.const === type) ?? {};
