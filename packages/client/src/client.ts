import { CursorListing, type CursorPage } from './cursor_listing.ts';
import { Listing } from './listing.ts';
import { Manage } from './manage.ts';
import { type CallOptions, type ClientOptions, Transport } from './transport.ts';
import type {
  Change,
  ChangePage,
  Customer,
  CustomerListParameters,
  CustomerRefills,
  CustomerUsage,
  DeletedCustomer,
  DeletedTank,
  FindCustomersParameters,
  FindSimilarCustomersParameters,
  FleetCustomer,
  FleetCustomerPage,
  FleetDevices,
  FleetMap,
  FleetRound,
  FleetSummary,
  History,
  Ledger,
  LedgerTotals,
  List,
  ListChangesParameters,
  ListDeliveryNotesParameters,
  ListDevicesParameters,
  ListEventsParameters,
  ListHistoryParameters,
  ListLedgerParameters,
  ListParameters,
  ListReadingsParameters,
  ListRoundsParameters,
  ListTankEventsParameters,
  ListTankStatusesParameters,
  Reading,
  ReadingPage,
  RetrieveCustomerRefillsParameters,
  RetrieveCustomerUsageParameters,
  RetrieveLedgerTotalsParameters,
  RetrieveMapParameters,
  RetrieveSeriesParameters,
  RetrieveTimelineParameters,
  RetrieveUsageParameters,
  RoundList,
  Score,
  SearchResult,
  Series,
  Settings,
  SimilarCustomers,
  Tank,
  TankEvent,
  TankEventPage,
  TankEvents,
  TankStatus,
  TankStatusPage,
  Telemetry,
  ThresholdTrial,
  Timeline,
  Usage,
  WrittenDeliveryNote,
  WrittenDeliveryNotePage,
} from './types.ts';

export type { CursorListing } from './cursor_listing.ts';
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ChangedError,
  ConflictError,
  ConnectionError,
  InvalidParametersError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TankwatchError,
  TimeoutError,
} from './errors.ts';
export type { Listing } from './listing.ts';
export type { BulkAnswer, ChangeOptions, ChangeRequest, ImportMapping, ImportParameters } from './manage.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type * from './types.ts';
export { EVENT_TYPES, FLEET_SORTS, SECTIONS, TANK_STATUSES, USE_CASES } from './types.ts';
export { verifyWebhook, type WebhookEvent, type WebhookMessage, WebhookVerificationError } from './webhook.ts';

/** The former name of `FleetCustomerPage`. */
export type CustomerMatches = FleetCustomerPage;

/** An object that is not deleted. `deleted?: never` lets TypeScript narrow the type in `if (tank.deleted)`. */
export type Live<T> = T & { deleted?: never };

/** Reads customers, tanks, their telemetry and the fleet with one API key, and makes changes through `manage`. */
export class Tankwatch {
  readonly #transport: Transport;
  /** The changes of `/manage/v1`: customers, tanks, rounds, delivery notes, contacts and more. The key needs the scope `manage`. */
  readonly manage: Manage;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
    this.manage = new Manage(this.#transport);
  }

  readonly customers = {
    list: (parameters: CustomerListParameters = {}, options?: CallOptions): Listing<Customer> =>
      this.#list('/v1/customers', parameters, options),

    retrieve: (id: string, options?: CallOptions): Promise<Live<Customer> | DeletedCustomer> =>
      this.#transport.get('customer', `/v1/customers/${encodeURIComponent(id)}`, {}, options),
  };

  readonly tanks = {
    list: (parameters: ListParameters = {}, options?: CallOptions): Listing<Tank> =>
      this.#list('/v1/tanks', parameters, options),

    retrieve: (id: string, options?: CallOptions): Promise<Live<Tank> | DeletedTank> =>
      this.#transport.get('tank', `/v1/tanks/${encodeURIComponent(id)}`, {}, options),

    telemetry: {
      list: (tankId: string, parameters: ListParameters = {}, options?: CallOptions): Listing<Telemetry> =>
        this.#list(`/v1/tanks/${encodeURIComponent(tankId)}/telemetry`, parameters, options),
    },
  };

  /** Levels, forecasts and events of many tanks at once. */
  readonly fleet = {
    summary: (options?: CallOptions): Promise<FleetSummary> =>
      this.#transport.get('fleet_summary', '/fleet/v1/summary', {}, options),

    /** `await` returns one page, the most urgent tanks first. `for await` iterates over all tanks, 200 a request. */
    tanks: (
      parameters: ListTankStatusesParameters = {},
      options?: CallOptions,
    ): CursorListing<TankStatus, TankStatusPage> =>
      // Readings change the order by urgency, and a tank that moves could be skipped.
      this.#cursorList('/fleet/v1/tanks', parameters, options, { sort: 'created' }),

    tank: (id: string, options?: CallOptions): Promise<TankStatus> =>
      this.#transport.get('tank_status', `/fleet/v1/tanks/${encodeURIComponent(id)}`, {}, options),

    series: (tankId: string, parameters: RetrieveSeriesParameters = {}, options?: CallOptions): Promise<Series> =>
      this.#transport.get('series', `/fleet/v1/tanks/${encodeURIComponent(tankId)}/series`, { ...parameters }, options),

    usage: (tankId: string, parameters: RetrieveUsageParameters = {}, options?: CallOptions): Promise<Usage> =>
      this.#transport.get('usage', `/fleet/v1/tanks/${encodeURIComponent(tankId)}/usage`, { ...parameters }, options),

    /** How many low-fill alerts another threshold would have raised in the last year. */
    thresholdTrial: (tankId: string, threshold: number, options?: CallOptions): Promise<ThresholdTrial> =>
      this.#transport.get(
        'threshold_trial',
        `/fleet/v1/tanks/${encodeURIComponent(tankId)}/threshold_trial`,
        { threshold },
        options,
      ),

    /** The events of one tank, newest first. */
    tankEvents: (
      tankId: string,
      parameters: ListTankEventsParameters = {},
      options?: CallOptions,
    ): Promise<TankEvents> =>
      this.#transport.get(
        'tank_events',
        `/fleet/v1/tanks/${encodeURIComponent(tankId)}/events`,
        { ...parameters },
        options,
      ),

    /** Everything that happened to one tank, newest first. Send `next` as `after` to get older entries. */
    timeline: (tankId: string, parameters: RetrieveTimelineParameters = {}, options?: CallOptions): Promise<Timeline> =>
      this.#transport.get(
        'timeline',
        `/fleet/v1/tanks/${encodeURIComponent(tankId)}/timeline`,
        { ...parameters },
        options,
      ),

    /** The devices on tanks, the one whose last message is oldest first. Send `next` as `after` to get more. */
    devices: (parameters: ListDevicesParameters = {}, options?: CallOptions): Promise<FleetDevices> =>
      this.#transport.get('devices', '/fleet/v1/devices', { ...parameters }, options),

    /** Save `next` of the last page and send it as `after`: no event is skipped. */
    events: (parameters: ListEventsParameters = {}, options?: CallOptions): CursorListing<TankEvent, TankEventPage> =>
      this.#cursorList('/fleet/v1/events', parameters, options),

    /** Save `next` of the last page and send it as `after`: no change of the requested `types` is skipped. */
    changes: (parameters: ListChangesParameters = {}, options?: CallOptions): CursorListing<Change, ChangePage> =>
      this.#cursorList('/fleet/v1/changes', parameters, options),

    /** The new readings of all tanks. Save `next` of the last page and send it as `after`: no reading is skipped. */
    readings: (parameters: ListReadingsParameters = {}, options?: CallOptions): CursorListing<Reading, ReadingPage> =>
      this.#cursorList('/fleet/v1/readings', parameters, options),

    /** The events of all tanks or of one customer, newest first. Send `next` as `after` to get older ones. */
    history: (parameters: ListHistoryParameters = {}, options?: CallOptions): Promise<History> =>
      this.#transport.get('history', '/fleet/v1/history', { ...parameters }, options),

    search: (q: string, options?: CallOptions): Promise<SearchResult> =>
      this.#transport.get('search_result', '/fleet/v1/search', { q }, options),

    /** Finds customers that may be the same as the customer that is about to be created. */
    similarCustomers: (typed: FindSimilarCustomersParameters, options?: CallOptions): Promise<SimilarCustomers> =>
      this.#transport.get('similar_customers', '/fleet/v1/similar_customers', { ...typed }, options),

    map: (parameters: RetrieveMapParameters, options?: CallOptions): Promise<FleetMap> =>
      this.#transport.get('fleet_map', '/fleet/v1/map', { ...parameters }, options),

    /** The settings of the organization. Not for narrowed keys. */
    settings: (options?: CallOptions): Promise<Settings> =>
      this.#transport.get('settings', '/fleet/v1/settings', {}, options),

    /** How often events and forecasts were right. Not for narrowed keys. */
    score: (options?: CallOptions): Promise<Score> => this.#transport.get('score', '/fleet/v1/score', {}, options),

    /** The rounds of some days. Not for narrowed keys. */
    rounds: (parameters: ListRoundsParameters = {}, options?: CallOptions): Promise<RoundList> =>
      this.#transport.get('list', '/fleet/v1/rounds', { ...parameters }, options),

    /** A round with its stops. Not for narrowed keys. */
    round: (id: string, options?: CallOptions): Promise<FleetRound> =>
      this.#transport.get('fleet_round', `/fleet/v1/rounds/${encodeURIComponent(id)}`, {}, options),

    /** The delivery notes as they were written, oldest first. `for await` iterates over all. */
    deliveryNotes: (
      parameters: ListDeliveryNotesParameters = {},
      options?: CallOptions,
    ): CursorListing<WrittenDeliveryNote, WrittenDeliveryNotePage> =>
      this.#cursorList('/fleet/v1/delivery-notes', parameters, options),

    /** One page of delivery notes and refills with their verdicts, newest first. */
    ledger: (parameters: ListLedgerParameters = {}, options?: CallOptions): Promise<Ledger> =>
      this.#transport.get('ledger', '/fleet/v1/ledger', { ...parameters }, options),

    /** A narrowed key sums by month only. */
    ledgerTotals: (parameters: RetrieveLedgerTotalsParameters = {}, options?: CallOptions): Promise<LedgerTotals> =>
      this.#transport.get('ledger_totals', '/fleet/v1/ledger/totals', { ...parameters }, options),

    /** `await` returns one page, by name. `for await` iterates over all customers, 200 a request. */
    customers: (
      parameters: FindCustomersParameters = {},
      options?: CallOptions,
    ): CursorListing<FleetCustomer, FleetCustomerPage> => this.#cursorList('/fleet/v1/customers', parameters, options),

    /** The number and the volume of the refills of all tanks of a customer, by month. */
    customerRefills: (
      customerId: string,
      parameters: RetrieveCustomerRefillsParameters = {},
      options?: CallOptions,
    ): Promise<CustomerRefills> =>
      this.#transport.get(
        'customer_refills',
        `/fleet/v1/customers/${encodeURIComponent(customerId)}/refills`,
        { ...parameters },
        options,
      ),

    /** The use of all tanks of a customer, by month or week. */
    customerUsage: (
      customerId: string,
      parameters: RetrieveCustomerUsageParameters = {},
      options?: CallOptions,
    ): Promise<CustomerUsage> =>
      this.#transport.get(
        'customer_usage',
        `/fleet/v1/customers/${encodeURIComponent(customerId)}/usage`,
        { ...parameters },
        options,
      ),

    /** The customer with the number that your own system uses. Undefined if there is none. */
    customerByExternalKey: async (externalKey: string, options?: CallOptions): Promise<FleetCustomer | undefined> => {
      const query = { external_key: externalKey };
      const { data } = await this.#transport.get<FleetCustomerPage>('list', '/fleet/v1/customers', query, options);
      return data[0];
    },
  };

  #list<Item extends Customer | Tank | Telemetry>(path: string, parameters: ListParameters, options?: CallOptions) {
    const fetchPage = (page: ListParameters): Promise<List<Item>> =>
      this.#transport.get('list', path, { ...page }, options);
    return new Listing<Item>(fetchPage, parameters);
  }

  #cursorList<Item, Page extends CursorPage<Item> & { object: string }>(
    path: string,
    parameters: object,
    options?: CallOptions,
    walk?: object,
  ): CursorListing<Item, Page> {
    return new CursorListing(
      (query) => this.#transport.get<Page>('list', path, { ...query }, options),
      parameters,
      walk,
    );
  }
}
