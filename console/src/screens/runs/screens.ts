import type { Screens } from '../../routing/screens.ts';
import { agentRunScreens } from './agent-screens.ts';
import { batchScreens } from './batch-screens.ts';
import { listedRunScreens } from './list-screens.ts';

export const runScreens: Screens = { ...listedRunScreens, ...agentRunScreens, ...batchScreens };
