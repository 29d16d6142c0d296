import type { Screens } from '../../shell/screens.ts';

export const flowScreens: Screens = {};
