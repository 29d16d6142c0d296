import type { Group } from '../../shared/platform/http/group.ts';
import { addProductCapability } from './add.ts';
import { removeProductCapability } from './remove.ts';
import { updateProductCapability } from './update.ts';

export const productCapabilitiesGroup = {
  description: 'Choose the flows and agents that the surfaces of a product can expose.',
  endpoints: [addProductCapability, updateProductCapability, removeProductCapability],
} as const satisfies Group;
