import { newAt } from '../../routing/new-in-address.ts';
import { newImportPath } from '../../routing/record-paths.ts';
import { readableSettings, sections } from '../../routing/sections.ts';
import { importTexts } from '../../texts/imports.ts';
import { menuTexts } from '../../texts/menus.ts';
import { sharedTexts } from '../../texts/shared.ts';
import type { IconName } from '../../ui/icon-paths.ts';

/** A line of the palette. */
export interface Command {
  id: string;
  label: string;
  icon: IconName;
  /** What it is or where it lies, beside its name. */
  hint?: string;
  /** Keys that do the same. */
  keys?: readonly string[];
  /** The screen it opens. */
  to: string;
}

export interface CommandGroup {
  title: string;
  commands: readonly Command[];
}

const screens = (permissions: readonly string[] | null): readonly Command[] => [
  ...sections.map(({ to, label, icon, letter }) => ({ id: to, label, icon, to, keys: ['g', letter] })),
  ...readableSettings(permissions).map(({ to, label }) => ({
    id: to,
    label,
    icon: 'settings' as const,
    hint: sharedTexts.settings,
    to,
  })),
];

const actions: readonly Command[] = [
  { id: 'new-flow', label: sharedTexts.createFlow, icon: 'plus', to: newAt('/flows') },
  { id: 'new-agent', label: sharedTexts.createAgent, icon: 'plus', to: newAt('/agents') },
  { id: 'new-product', label: sharedTexts.createProduct, icon: 'plus', to: newAt('/products') },
  { id: 'new-key', label: menuTexts.createApiKey, icon: 'key', to: newAt('/settings/api-keys') },
  { id: 'new-secret', label: sharedTexts.createSecret, icon: 'key', to: newAt('/settings/secrets') },
  { id: 'upload', label: importTexts.importFile, icon: 'upload', to: newImportPath() },
];

/** What is known without a request, and has every word that somebody typed. */
export function knownCommands(text: string, permissions: readonly string[] | null): CommandGroup[] {
  const found = (commands: readonly Command[]) =>
    commands.filter(({ label, hint = '' }) => hasWords(`${label} ${hint}`, text));
  return [
    { title: sharedTexts.actions, commands: found(actions) },
    { title: menuTexts.goTo, commands: found(screens(permissions)) },
  ].filter(({ commands }) => commands.length > 0);
}

export const hasWords = (within: string, words: string) =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.toLowerCase().includes(word));

/** Where a thing with an id is shown. */
const placesOfIds: Readonly<Record<string, { icon: IconName; label: (id: string) => string; path: string }>> =
  {
    flow: { icon: 'flows', label: menuTexts.openFlow, path: '/flows/' },
    agent: { icon: 'agents', label: menuTexts.openAgent, path: '/agents/' },
    record: { icon: 'records', label: menuTexts.openRecord, path: '/records/record/' },
    product: { icon: 'products', label: menuTexts.openProduct, path: '/products/' },
    batch: { icon: 'batch', label: menuTexts.openBatch, path: '/runs/batches/' },
  };

/** Opens what an id names. */
export function commandOfId(text: string): Command | undefined {
  const [id, prefix = ''] = /^([a-z]+)_[0-9a-z]{26}$/.exec(text) ?? [];
  const place = placesOfIds[prefix];
  if (!id || !place) return undefined;
  return { id, label: place.label(id), icon: place.icon, to: place.path + id };
}
