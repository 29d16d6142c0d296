import { dollars } from '../ui/values/format.ts';
import type { OperationResponse } from './api.ts';
import { useCall } from './queries.ts';

type Grouped = OperationResponse<'model-configs.grouped'>['data'];
type Config = OperationResponse<'model-configs.list'>['data'][number];

/** A model as people know it. */
export interface KnownModel {
  /** What flows and agents name it by. */
  value: string;
  name: string;
  provider: string;
  /** For a million tokens, as `$0.25`; undefined if it is not known. */
  prices: { input: string; output: string } | undefined;
  needsKey: boolean;
  /** Whether it is one of the settings. */
  isOwn: boolean;
}

/** The models of the settings and of the catalog, and what a name that a step or an agent has for one means. */
export function useModels() {
  const catalog = useCall('model-configs.grouped', { query: { showAll: true } });
  const usual = useCall('model-configs.grouped');
  const configs = useCall('model-configs.list');
  const settings = configs.data?.data ?? [];
  const names = new Map((catalog.data?.data ?? []).flatMap((group) => providerNames(group)));
  const toKnown = (config: Config) => ownModel(config, settings, names);
  const all = (catalog.data?.data ?? []).flatMap(offersIn);
  const chosen = settings.find(({ isDefault }) => isDefault);
  return {
    /** Those of the settings first, and of the catalog those that can be called first. */
    choices: [
      ...settings.filter(({ isEnabled }) => isEnabled).map(toKnown),
      ...(usual.data?.data ?? [])
        .flatMap(offersIn)
        .filter(({ value }) => !settings.some((config) => offerName(config) === value))
        .toSorted((a, b) => Number(a.needsKey) - Number(b.needsKey)),
    ],
    /** The one that is called where none is named. */
    standard: chosen && toKnown(chosen),
    /** @returns undefined for a name that neither the settings nor the catalog has */
    find(value: string): KnownModel | undefined {
      if (value === '' || value === 'default') return chosen && toKnown(chosen);
      const config = settings.find(
        (each) => each.id === value || offerName(each) === value || each.modelId === value,
      );
      return config
        ? toKnown(config)
        : all.find((offer) => offer.value === value || offer.value.endsWith(`/${value}`));
    },
  };
}

const offerName = ({ provider, modelId }: { provider: string; modelId: string }) => `${provider}/${modelId}`;

const providerNames = ({ providers }: Grouped[number]) =>
  providers.map(({ provider, providerDisplayName }) => [provider, providerDisplayName] as const);

/** Its id, where another one of the settings has the same model. */
function ownModel(
  config: Config,
  settings: readonly Config[],
  names: ReadonlyMap<string, string>,
): KnownModel {
  const { id, provider, displayName, keyStatus } = config;
  const isOnly = settings.filter((each) => offerName(each) === offerName(config)).length === 1;
  return {
    value: isOnly ? offerName(config) : id,
    name: displayName,
    provider: names.get(provider) ?? provider,
    prices: pricesIn(config),
    needsKey: keyStatus === 'needs_setup',
    isOwn: true,
  };
}

const offersIn = ({ displayName, providers }: Grouped[number]): KnownModel[] =>
  providers.map((offer) => ({
    value: offerName(offer),
    name: displayName,
    provider: offer.providerDisplayName,
    prices: pricesIn(offer),
    needsKey: offer.keyStatus === 'needs_setup',
    isOwn: false,
  }));

function pricesIn({
  inputCostPer1kTokens: input,
  outputCostPer1kTokens: output,
}: Partial<Pick<Config, 'inputCostPer1kTokens' | 'outputCostPer1kTokens'>>): KnownModel['prices'] {
  if (input === undefined) return undefined;
  return { input: dollars(input * 1_000), output: dollars((output ?? 0) * 1_000) };
}
