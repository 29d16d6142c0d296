import { Input, SearchField } from 'react-aria-components';
import { Icon } from '../icon.tsx';

interface Props {
  /** What it searches: its name, and its text while it is empty. */
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** Narrows the list below it. */
export const SearchBox = ({ label, value, onChange }: Props) => (
  <SearchField className="search-box" aria-label={label} value={value} onChange={onChange}>
    <Icon name="search" />
    {/* As much as the API takes. */}
    <Input placeholder={label} maxLength={255} />
  </SearchField>
);
