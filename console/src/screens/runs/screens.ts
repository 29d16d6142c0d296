import type { Screens } from '../../shell/screens.ts';
import { agentRunScreens } from './agent-screens.ts';
import { batchScreens } from './batch-screens.ts';

export const runScreens: Screens = { ...agentRunScreens, ...batchScreens };
