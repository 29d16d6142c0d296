import * as z from 'zod';
import type { CreatedProduct } from '../../shared/domain/products/create-product.ts';
import { toWholeProduct, WholeProductResponse } from './schemas.ts';

const TestApiKey = z.object({
  id: z.string(),
  name: z.string(),
  key: z.string().meta({ description: 'The value of the key' }),
  prefix: z.string(),
  canRevealLater: z.boolean(),
  limits: z.object({
    dailyExecutions: z.int(),
    lifetimeExecutions: z.int().meta({ description: 'Requests with the key, of all times' }),
  }),
});

export const CreatedProductResponse = WholeProductResponse.extend({
  testApiKey: TestApiKey.optional(),
}).meta({ id: 'CreatedProduct' });

export const toCreatedProduct = ({ product, testKey }: CreatedProduct, baseUrl: string) => ({
  ...toWholeProduct(product, [], baseUrl),
  ...(testKey && { testApiKey: shownTestKey(testKey) }),
});

const shownTestKey = ({ key, value }: NonNullable<CreatedProduct['testKey']>) => ({
  id: key.id,
  name: key.name,
  key: value,
  prefix: key.keyPrefix,
  canRevealLater: true,
  limits: { dailyExecutions: key.perDay, lifetimeExecutions: key.lifetimeMax },
});
