import { type Screens, screen } from '../../routing/screens.ts';

export const productScreens: Screens = {
  '/products': screen(() => import('./list.tsx'), 'Products'),
  '/products/$productId': screen(() => import('./product.tsx'), 'OneProduct'),
  '/products/$productId/surfaces/$surfaceId': screen(() => import('./surface.tsx'), 'OneSurface'),
};
