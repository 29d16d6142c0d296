import { covers, type Permission } from '../../../shared/platform/identity/permissions.ts';
import { sharedTexts } from '../texts/shared.ts';
import type { IconName } from '../ui/icon-paths.ts';

interface Section {
  to: string;
  label: string;
  icon: IconName;
  /** Typed after `g`, it opens the screen. */
  letter: string;
}

/** The main screens, in the order of the menu. */
export const sections: readonly Section[] = [
  { to: '/', label: sharedTexts.home, icon: 'home', letter: 'h' },
  { to: '/inbox', label: sharedTexts.inbox, icon: 'inbox', letter: 'i' },
  { to: '/runs', label: sharedTexts.runs, icon: 'runs', letter: 'r' },
  { to: '/alerts', label: sharedTexts.alerts, icon: 'bell', letter: 'l' },
  { to: '/flows', label: sharedTexts.flows, icon: 'flows', letter: 'f' },
  { to: '/agents', label: sharedTexts.agents, icon: 'agents', letter: 'a' },
  { to: '/records', label: sharedTexts.records, icon: 'records', letter: 'd' },
  { to: '/products', label: sharedTexts.products, icon: 'products', letter: 'p' },
  { to: '/settings', label: sharedTexts.settings, icon: 'settings', letter: 's' },
];

interface SettingsSection {
  to: string;
  label: string;
  /** What it stands under. */
  group: string;
  /** Without one of these permissions, it has nothing to show. */
  readers?: readonly Permission[];
}

const groupedSections: Readonly<Record<string, readonly Omit<SettingsSection, 'group'>[]>> = {
  [sharedTexts.access]: [
    { to: '/settings/api-keys', label: sharedTexts.apiKeys },
    { to: '/settings/client-tokens', label: sharedTexts.clientTokens },
    { to: '/settings/secrets', label: sharedTexts.secrets },
  ],
  [sharedTexts.models]: [
    { to: '/settings/models', label: sharedTexts.models },
    { to: '/settings/provider-keys', label: sharedTexts.providerKeys },
  ],
  [sharedTexts.spending]: [
    { to: '/settings/usage', label: sharedTexts.usage },
    { to: '/settings/budgets', label: sharedTexts.budgets },
  ],
  [sharedTexts.workspace]: [
    { to: '/settings/tools', label: sharedTexts.tools },
    {
      to: '/settings/workspace',
      label: sharedTexts.workspace,
      readers: ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ', 'MODELS:READ', 'PRODUCTS:READ', 'BUDGETS:READ'],
    },
    { to: '/settings/audit-log', label: sharedTexts.auditLog },
  ],
};

const settingsSections: readonly SettingsSection[] = Object.entries(groupedSections).flatMap(
  ([group, grouped]) => grouped.map((section) => ({ ...section, group })),
);

/** @param permissions Null if they are not known. */
export const readableSettings = (permissions: readonly string[] | null) =>
  settingsSections.filter(
    ({ readers }) => permissions === null || !readers || readers.some((each) => covers(permissions, each)),
  );

export const isBelow = (pathname: string, to: string) =>
  to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);
