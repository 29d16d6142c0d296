import type { ListedProvider } from '../../../shared/adapters/models/catalog.ts';
import { sameModel } from './additions.ts';

/** The geography of an inference profile of Bedrock. */
export const geography = /^(us-gov|us|eu|apac|au|ca|jp|in|global)\./;

/** The name of the model itself: without vendor, geography, revision and date. */
export function baseModelId(provider: ListedProvider, modelId: string): string {
  const id = modelId.toLowerCase();
  const own =
    provider === 'bedrock'
      ? id
          .replace(geography, '')
          .replace(/^[a-z]+\./, '')
          .replace(/(-v\d+)?(:\d+)?$/, '')
      : id;
  const bare = own.replace(/^.*\//, '').replace(/-20\d\d-?\d\d-?\d\d$/, '');
  const [pattern, name] = sameModel.find(([each]) => each.test(bare)) ?? [];
  return pattern && name ? bare.replace(pattern, name) : bare;
}
