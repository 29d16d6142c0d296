import type { Screens } from '../../shell/screens.ts';

export const productScreens: Screens = {};
