import { truncate } from '../../core/text.ts';
import type { ApiKey } from '../../platform/auth/api-key.ts';
import { generateKey } from '../../platform/auth/key-format.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { covers } from '../../platform/identity/permissions.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { apiKeyStore } from '../api-keys/api-key-store.ts';
import { keyValueWriter } from '../api-keys/key-values.ts';
import { newApiKey } from '../api-keys/new-api-key.ts';
import type { Product } from './product.ts';
import { type NewProduct, productStore } from './product-store.ts';

/** The test key of a product is for trying it. */
const limits = { perDay: 1_000, lifetimeMax: 10_000 };
const permission = 'PRODUCTS:EXECUTE';
/** Half of what a tenant may have. The rest is for keys that people create. */
const keysMax = 100;

export interface CreatedProduct {
  product: Product;
  /** Undefined if the creator may not run products, or the tenant has 100 API keys. */
  testKey?: { key: ApiKey & typeof limits; value: string };
}

/** Creates a product with a test key, which can use the surfaces of this product and nothing else. */
export const productCreator = /* @__PURE__ */ using(
  [productStore, apiKeyStore, keyValueWriter],
  (scope: Scope) => {
    const apiKeys = apiKeyStore(scope);
    return async (by: Principal, input: NewProduct): Promise<CreatedProduct> => {
      const { userId, organizationId } = by;
      const owner = { userId, organizationId };
      const products = productStore(scope);
      const hasKey = covers(by.permissions, permission) && (await apiKeys.count()) < keysMax;
      if (!hasKey) return { product: await products.create(owner, input) };
      const value = generateKey('test');
      const name = truncate(`Test key of ${input.name}`, 255);
      const productId = scope.newId('product');
      const key = {
        ...newApiKey(scope, value, { ...owner, name, permissions: [permission], productId }),
        ...limits,
      };
      const testKeyValue = await keyValueWriter(scope).createWrite(key.id, value);
      const product = await products.create(owner, input, {
        id: productId,
        testKeyId: key.id,
        commit: (write) => apiKeys.create(by, key, [write, testKeyValue]),
      });
      return { product, testKey: { key, value } };
    };
  },
);
