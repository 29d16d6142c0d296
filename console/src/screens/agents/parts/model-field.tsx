import { useState } from 'react';
import {
  Button,
  ComboBox,
  FieldError,
  Header,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Popover,
  Text,
} from 'react-aria-components';
import { type KnownModel, useModels } from '../../../api/models.ts';
import { modelTexts } from '../../../texts/models.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Link } from '../../../ui/link.tsx';
import '../../../style/models.css';

interface Props {
  label?: string;
  value: string;
  onChange: (value: string) => void;
  problem?: string | undefined;
}

/** What a list shows at once. Whoever looks for another one types a part of its name. */
const shownMax = 60;

/** A model by its name, from those of the settings and the catalog, or any other that somebody types. */
export function ModelField({ label = sharedTexts.model, value, onChange, problem }: Props) {
  const { choices, find, standard } = useModels();
  const [typed, setTyped] = useState<string>();
  const isStandard = value === '' || value === 'default';
  const model = find(value);
  const selected = isStandard ? null : (model?.value ?? null);
  const sought = (typed ?? '').trim().toLowerCase();
  const shown = choices.filter((choice) => hasText(choice, sought)).slice(0, shownMax);
  const groups = [
    { title: modelTexts.ofSettings, models: shown.filter(({ isOwn }) => isOwn) },
    { title: modelTexts.ofCatalog, models: shown.filter(({ isOwn }) => !isOwn) },
  ].filter(({ models }) => models.length > 0);
  function type(text: string) {
    setTyped(text);
    const named = choices.filter(({ name }) => name.toLowerCase() === text.trim().toLowerCase());
    onChange(named.length === 1 && named[0] ? named[0].value : text);
  }
  return (
    <ComboBox
      className="field"
      allowsCustomValue
      items={groups}
      inputValue={typed ?? (isStandard ? '' : (model?.name ?? value))}
      onInputChange={type}
      selectedKey={selected}
      onSelectionChange={(key) => {
        if (key === null) return;
        setTyped(undefined);
        // Whoever only leaves the field keeps what names the model.
        if (key !== selected) onChange(String(key));
      }}
      isInvalid={problem !== undefined}
      onBlur={() => setTyped(undefined)}
    >
      <Label>{label}</Label>
      <div className="model-box">
        <Input
          autoComplete="off"
          placeholder={standard ? modelTexts.standardNamed(standard.name) : modelTexts.standard}
        />
        <Button className="button quiet" aria-label={modelTexts.showModels}>
          <Icon name="chevronsUpDown" />
        </Button>
      </div>
      <Text slot="description" className="help">
        <ModelFacts of={model} />
      </Text>
      <FieldError className="problem">{problem}</FieldError>
      <Popover className="popover model-list">
        <ListBox className="menu-list" items={groups}>
          {({ title, models }) => (
            <ListBoxSection id={title}>
              <Header>{title}</Header>
              {models.map((model) => (
                <Option key={model.value} of={model} />
              ))}
            </ListBoxSection>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

const hasText = ({ name, provider, value }: KnownModel, sought: string) =>
  sought.split(/\s+/).every((word) => `${name} ${provider} ${value}`.toLowerCase().includes(word));

const Option = ({ of: { value, name, provider, prices, needsKey } }: { of: KnownModel }) => (
  <ListBoxItem id={value} textValue={name} className="model-option">
    <bdi>{name}</bdi>
    <span className="help">
      {provider}
      {needsKey && <span className="model-lacks"> {modelTexts.needsKey}</span>}
    </span>
    <span className="help model-price">{prices && modelTexts.shortPrices(prices.input, prices.output)}</span>
  </ListBoxItem>
);

/** Whose model is chosen, what it costs, and what it lacks. */
function ModelFacts({ of }: { of: KnownModel | undefined }) {
  if (!of) return modelTexts.unknownModel;
  const { provider, prices, needsKey } = of;
  return (
    <>
      {provider},{' '}
      {prices ? modelTexts.pricesPerMillion(prices.input, prices.output) : sharedTexts.noKnownPrice}
      {needsKey && (
        <>
          , <span className="model-lacks">{modelTexts.needsKey}</span>:{' '}
          <Link to="/settings/provider-keys">{modelTexts.addKey}</Link>
        </>
      )}
    </>
  );
}
