import type { FleetCustomer, SearchResult, TankStatus } from '@tankwatch/client';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useNow } from '../clock.ts';
import { StatusBadge, StatusName } from '../parts/badge.tsx';
import { LevelText } from '../parts/level_text.tsx';
import { useFormat, useTranslation } from '../preferences_and_words.tsx';
import { isSearchable } from '../search_words.ts';
import { addressOf } from '../status.ts';
import { searchQuery } from './search_query.ts';

interface Found {
  key: string;
  /** The page that the result opens. Null for corrected words, which are searched for instead. */
  href: string | null;
  title: string;
  detail: string;
  /** The level and the status of a tank, or the number of tanks and the worst status of a customer. */
  state: ReactNode;
  group: string;
}

const RETRY_MS = 3_000;
const NOTHING: Pick<SearchResult, 'tanks' | 'customers' | 'similar'> = { tanks: [], customers: [], similar: null };

/** The page that Enter opens: the only tank, the only customer, or the list of all results. Similar words open a list only. */
function pageOf({ tanks, customers, similar }: SearchResult, q: string): string {
  if (similar !== null && tanks.length + customers.length === 0)
    return `/${similar.tanks.length > 0 ? 'fleet' : 'customers'}?q=${encodeURIComponent(similar.q)}`;
  const [tank] = tanks;
  const [customer] = customers;
  const isOneTank = tanks.length === 1 && customers.every(({ id }) => id === tank?.owner.id);
  if (tank !== undefined && isOneTank) return `/tanks/${tank.tank.id}`;
  if (customer !== undefined && tanks.length === 0)
    return customers.length === 1 ? `/customers/${customer.id}` : `/customers?q=${encodeURIComponent(q)}`;
  return `/fleet?q=${encodeURIComponent(q)}`;
}

/** Finds tanks and customers while the viewer types. The key / moves the focus here. */
export function SearchBox() {
  const words = useTranslation();
  const format = useFormat();
  const nowMs = useNow();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const q = useDeferredValue(text.trim());
  const isLongEnough = isSearchable(q);
  const { data, isError } = useQuery({
    ...searchQuery(q),
    enabled: isLongEnough && isOpen,
    placeholderData: keepPreviousData,
    // An overloaded service refuses a search. The search is repeated, because the viewer waits for the result.
    refetchInterval: ({ state }) => (state.status === 'error' ? RETRY_MS : false),
  });

  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);

  const tankFound = (status: TankStatus, group: string): Found => ({
    key: status.tank.id,
    href: `/tanks/${status.tank.id}`,
    title: [status.tank.name, status.tank.custom_id].filter(Boolean).join(' '),
    detail: [
      status.owner.name,
      addressOf(status),
      status.tank.assigned_device_id,
      status.planned_delivery && words.values.planned(format.dayToCome(status.planned_delivery.date, nowMs)),
    ]
      .filter(Boolean)
      .join(' · '),
    state: (
      <>
        <LevelText status={status} /> <StatusBadge status={status} nowMs={nowMs} />
      </>
    ),
    group,
  });
  const customerFound = (customer: FleetCustomer, group: string): Found => ({
    key: customer.id,
    href: `/customers/${customer.id}`,
    title: customer.name,
    detail: [customer.external_key, customer.phone?.replaceAll(' ', '\u00A0')].filter(Boolean).join(' · '),
    state: (
      <>
        {words.customers.tankCount(customer.tank_count, format.count(customer.tank_count))}{' '}
        {customer.worst_status !== null && <StatusName name={customer.worst_status} />}
      </>
    ),
    group,
  });
  const correctedWords = (corrected: string): Found => ({
    key: corrected,
    href: null,
    title: words.search.didYouMean(corrected),
    detail: '',
    state: null,
    group: '',
  });
  const { tanks, customers, similar } = (isLongEnough ? data : undefined) ?? NOTHING;
  const found: Found[] = [
    ...tanks.map((status) => tankFound(status, words.search.tanks)),
    ...customers.map((customer) => customerFound(customer, words.search.customers)),
    ...(similar === null
      ? []
      : [
          ...[similar.q, ...similar.others].map(correctedWords),
          ...similar.tanks.map((status) => tankFound(status, words.search.similar)),
          ...similar.customers.map((customer) => customerFound(customer, words.search.similar)),
        ]),
  ];
  const emptyText = (): string => {
    if (!isLongEnough) return words.search.tooShort;
    if (isError) return words.search.failed;
    return data === undefined ? words.problem.loading : words.search.none;
  };
  const choose = ({ key, href }: Found): void => {
    if (href !== null) return open(href);
    setText(key);
    setActive(-1);
  };
  const open = (href: string): void => {
    setIsOpen(false);
    setText('');
    setActive(-1);
    input.current?.blur();
    navigate(href);
  };
  /** Searches for the typed text, because the shown results may be those of an earlier text. The list shows a failure. */
  const openFound = (typed: string): void => {
    queryClient.fetchQuery(searchQuery(typed)).then(
      (result) => input.current?.value.trim() === typed && open(pageOf(result, typed)),
      () => {},
    );
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((index) => Math.min(found.length - 1, Math.max(-1, index + step)));
    } else if (event.key === 'Enter') {
      const chosen = found[active];
      if (chosen !== undefined) choose(chosen);
      else if (isSearchable(text)) openFound(text.trim());
    } else if (event.key === 'Escape') {
      setIsOpen(false);
      input.current?.blur();
    }
  };

  return (
    <search className="search">
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label={words.search.label}
        aria-expanded={isOpen && text !== ''}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
        aria-keyshortcuts="/"
        autoComplete="off"
        placeholder={words.search.hint}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(-1);
          setIsOpen(true);
        }}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
      <svg className="icon search-icon" viewBox="0 0 20 20" aria-hidden="true">
        <path d="M9 3.5a5.5 5.5 0 1 0 .01 0zM13 13l4 4" />
      </svg>
      {isOpen && text.trim() !== '' && (
        <div className="results">
          {tanks.length + customers.length === 0 && (
            <p className="meta" role="status">
              {emptyText()}
            </p>
          )}
          <ul id={listId} role="listbox" aria-label={words.search.label}>
            {found.map((one, index) => (
              <li
                key={one.key}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === active}
                // The blur of the input would close the list before the click arrives.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => choose(one)}
              >
                <span className="group meta">{found[index - 1]?.group === one.group ? '' : one.group}</span>
                <span>
                  <b>{one.title}</b> <span className="meta">{one.detail}</span>
                </span>
                <span className="state">{one.state}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </search>
  );
}
