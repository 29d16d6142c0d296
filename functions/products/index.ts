import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { addProductCapability } from './add-capability.ts';
import { createProduct } from './create.ts';
import { deleteProduct } from './delete.ts';
import { getProduct } from './get.ts';
import { listProducts } from './list.ts';
import { removeProductCapability } from './remove-capability.ts';
import { updateProduct } from './update.ts';
import { updateProductCapability } from './update-capability.ts';

export const productsGroup = {
  description: 'Put flows and agents behind surfaces, such as an API with keys of its own.',
  endpoints: [
    listProducts,
    createProduct,
    getProduct,
    updateProduct,
    deleteProduct,
    addProductCapability,
    updateProductCapability,
    removeProductCapability,
  ],
} as const satisfies EndpointGroup;
