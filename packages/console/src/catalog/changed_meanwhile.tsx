import { useQuery } from '@tanstack/react-query';
import { ChangedNotice } from '../change/change_notice.tsx';
import type { UsedDraft } from '../forms/draft.ts';
import { useTexts } from '../preferences_and_words.tsx';
import { CATALOG_TEXTS } from '../translations/catalog.ts';

/** A stored customer or tank as its form shows it. */
export interface StoredForm<Name extends string> {
  values: Readonly<Record<Name, string>>;
  etag: string;
  updatedAt: string;
}

interface ChangedMeanwhileProps<Name extends string> {
  objectId: string;
  draft: UsedDraft<Name>;
  labelOf: (field: Name) => string;
  /** The value of a field as a person reads it, if the form stores it differently. */
  textOf?: (field: Name, value: string) => string;
  /** Reads what is stored now. Null if it was deleted. */
  read: (signal?: AbortSignal) => Promise<StoredForm<Name> | null>;
  onMine: (etag: string) => void;
  onTheirs: () => void;
}

/** Shown if somebody else saved the object while this person typed: the changed fields and their stored values. */
export function ChangedMeanwhile<Name extends string>(props: ChangedMeanwhileProps<Name>) {
  const { objectId, draft, labelOf, textOf = (_, value) => value, read, onMine, onTheirs } = props;
  const texts = useTexts(CATALOG_TEXTS);
  const { data } = useQuery({
    queryKey: ['changed-meanwhile', objectId],
    queryFn: ({ signal }) => read(signal),
    staleTime: 0,
    gcTime: 0,
  });
  if (data === undefined || data === null) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a Record<Name, ...> are of type Name
  const fields = (Object.keys(data.values) as Name[]).filter((field) => data.values[field] !== draft.base[field]);
  const theirs = fields.map((field) => texts.storedNow(labelOf(field), textOf(field, data.values[field]))).join(' ');
  return (
    <ChangedNotice
      objectId={objectId}
      at={data.updatedAt}
      theirs={`${theirs} ${texts.yoursStays}`.trim()}
      onMine={() => onMine(data.etag)}
      onTheirs={onTheirs}
    />
  );
}
