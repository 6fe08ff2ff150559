import type { CallOptions, Query, Transport, Write } from './transport.ts';
import type {
  Acknowledgements,
  AuditLog,
  BulkResult,
  CalibrationRequest,
  Connector,
  ConnectorPatch,
  Connectors,
  Contact,
  ContactPatch,
  ContactReach,
  Contacts,
  CustomerLine,
  CustomerPatch,
  DeletedCustomer,
  DeletedTank,
  Deletion,
  DeliveryDays,
  DeliveryDaysList,
  DeliveryNote,
  DeliveryNoteLine,
  Depot,
  DepotPatch,
  Depots,
  DeviceAssignment,
  DevicePassword,
  Dip,
  Driver,
  DriverEntries,
  DriverLink,
  DriverPatch,
  Drivers,
  DutyPlan,
  Escalation,
  EscalationStep,
  Escalations,
  Estimate,
  GaugeCalibration,
  GaugeProfile,
  GaugeProfiles,
  ImportReport,
  Imports,
  KnownDevice,
  ManagedCustomer,
  ManagedTank,
  MovedStop,
  Mute,
  NewAcknowledgement,
  NewConnector,
  NewContact,
  NewCustomer,
  NewDeliveryNote,
  NewDepot,
  NewDip,
  NewDriver,
  NewDutyPlan,
  NewMute,
  NewNote,
  NewPin,
  NewProfileAssignment,
  NewReach,
  NewReplay,
  NewRound,
  NewStop,
  NewStopEntry,
  NewTank,
  NewTankGauges,
  NewTextChannel,
  NewTruck,
  NewWebhook,
  Note,
  NotePatch,
  Notes,
  OrganizationPatch,
  OrganizationSettings,
  ProfileAssignment,
  ProfileAssignments,
  ReachList,
  Replay,
  Round,
  RoundPatch,
  RoundPrint,
  RoundProposal,
  RoundRequest,
  SecretRotation,
  StopOutcome,
  StoredDevices,
  TankByKey,
  TankGauges,
  TankLine,
  TankOfOwner,
  TankPatch,
  TextChannel,
  Truck,
  TruckPatch,
  Trucks,
  UndoneImport,
  Webhook,
  WebhookDeliveries,
  WebhookPatch,
  Webhooks,
  WebhookWithSecret,
} from './types.ts';

/** How a change is made. */
export interface ChangeOptions extends CallOptions {
  /** The `etag` of the object that you have read. If the object has changed since, the error has the status 412. `*` accepts any state. */
  ifMatch?: string | undefined;
  /** `*` only creates. If the object exists already, it stays as it is, and the error has the status 412. */
  ifNoneMatch?: '*' | undefined;
  /** A key that a repeated call sends again, such as the number of an order. Default: each call has its own key. */
  idempotencyKey?: string | undefined;
  /** Checks the change and returns its result, without storing it. */
  dryRun?: boolean | undefined;
}

/** A change as data, so that a program can store the change before it sends the request. */
export interface ChangeRequest {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below `/manage/v1`. */
  path: string;
  body?: object | undefined;
}

/**
 * The columns and constants that fields are read from. Without it, the service uses the mapping of the last import with
 * the same headings, or suggests one from the headings.
 */
export interface ImportMapping {
  /** The heading of each field. */
  columns: Readonly<Record<string, string>>;
  /** The value of a field where the file has none, for new customers and tanks. */
  constants: Readonly<Record<string, string>>;
  /** Cells that are read as another text. */
  corrections?: readonly { line: number; field: string; value: string }[];
  /** The sheet of a workbook. */
  sheet?: string;
  decimal?: 'point' | 'comma';
  /** The order of day and month in dates such as 11/3/2025. */
  date_order?: 'dmy' | 'mdy' | undefined;
}

/** How a file is imported. */
export interface ImportParameters {
  what?: ImportReport['what'] | undefined;
  fileName?: string | undefined;
  mapping?: ImportMapping | undefined;
  /** The sheet of a workbook. Default: the first one that is visible. */
  sheet?: string | undefined;
  /** The largest number of refused rows in the report. Default: 100. */
  maxRefused?: number | undefined;
}

/** Which page of a list to read, such as the audit log or the deliveries to a webhook. */
export interface PageParameters {
  size?: number | undefined;
  /** `next` of the previous page. */
  after?: string | undefined;
  /** @deprecated use `after` */
  before?: number | undefined;
}

/** The result of many lines. Lines with errors are refused, and the others are stored. */
export interface BulkAnswer {
  results: BulkResult[];
  summary: Record<BulkResult['status'], number>;
}

/** The types of the calls for depots, trucks or drivers. */
interface ResourceTypes {
  item: { object: string };
  created: object;
  patch: object;
  all: { object: string };
}

const MAX_LINES = 10_000;
const MAX_BYTES = 8_388_608;
const ROOT = '/manage/v1';
const part = encodeURIComponent;

/** Changes customers, tanks and what belongs to them, with a key that has the scope `manage`. */
export class Manage {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  readonly customers = {
    /** Creates or replaces the customer with your own number. */
    put: (externalKey: string, customer: NewCustomer, options?: ChangeOptions): Promise<ManagedCustomer> =>
      this.#write('PUT', `/customers/external_key/${part(externalKey)}`, customer, options),
    retrieveByKey: (externalKey: string, options?: CallOptions): Promise<ManagedCustomer> =>
      this.#get('customer', `/customers/external_key/${part(externalKey)}`, options),
    create: (customer: NewCustomer, options?: ChangeOptions): Promise<ManagedCustomer> =>
      this.#write('POST', '/customers', customer, options),
    retrieve: (id: string, options?: CallOptions): Promise<ManagedCustomer | DeletedCustomer> =>
      this.#get('customer', `/customers/${part(id)}`, options),
    /** Changes the given fields. Null clears a field. */
    update: (
      id: string,
      patch: CustomerPatch,
      options: ChangeOptions & { ifMatch: string },
    ): Promise<ManagedCustomer> => this.#write('PATCH', `/customers/${part(id)}`, patch, options),
    delete: (id: string, options: ChangeOptions & { ifMatch: string; withTanks?: boolean }): Promise<void> =>
      this.#write('DELETE', `/customers/${part(id)}`, undefined, options, { with_tanks: options.withTanks }),
    /** Returns what a deletion of the customer with all tanks would erase. */
    previewDeletion: (id: string, options?: CallOptions): Promise<Deletion> =>
      this.#get('deletion', `/customers/${part(id)}/deletion`, options),
    /** Creates or replaces any number of customers by your own numbers. */
    putAll: (lines: Iterable<CustomerLine>, options?: ChangeOptions): Promise<BulkAnswer> =>
      this.#putAll('/customers/bulk', lines, options),
  };

  readonly tanks = {
    /** Creates or replaces the tank of a customer with your own identifier. */
    put: (ownerId: string, customId: string, tank: TankOfOwner, options?: ChangeOptions): Promise<ManagedTank> =>
      this.#write('PUT', `/customers/${part(ownerId)}/tanks/custom_id/${part(customId)}`, tank, options),
    retrieveByKey: (ownerId: string, customId: string, options?: CallOptions): Promise<ManagedTank> =>
      this.#get('tank', `/customers/${part(ownerId)}/tanks/custom_id/${part(customId)}`, options),
    /** Creates or replaces the tank with this number of your organization. If the body names another owner, that owner gets the tank. */
    putByExternalKey: (externalKey: string, tank: TankByKey, options?: ChangeOptions): Promise<ManagedTank> =>
      this.#write('PUT', `/tanks/external_key/${part(externalKey)}`, tank, options),
    retrieveByExternalKey: (externalKey: string, options?: CallOptions): Promise<ManagedTank> =>
      this.#get('tank', `/tanks/external_key/${part(externalKey)}`, options),
    create: (tank: NewTank, options?: ChangeOptions): Promise<ManagedTank> =>
      this.#write('POST', '/tanks', tank, options),
    retrieve: (id: string, options?: CallOptions): Promise<ManagedTank | DeletedTank> =>
      this.#get('tank', `/tanks/${part(id)}`, options),
    /** Changes the given fields. Null clears a field. */
    update: (id: string, patch: TankPatch, options: ChangeOptions & { ifMatch: string }): Promise<ManagedTank> =>
      this.#write('PATCH', `/tanks/${part(id)}`, patch, options),
    delete: (id: string, options: ChangeOptions & { ifMatch: string }): Promise<void> =>
      this.#write('DELETE', `/tanks/${part(id)}`, undefined, options),
    previewDeletion: (id: string, options?: CallOptions): Promise<Deletion> =>
      this.#get('deletion', `/tanks/${part(id)}/deletion`, options),
    putDevice: (id: string, assignment: DeviceAssignment, options?: ChangeOptions): Promise<ManagedTank> =>
      this.#write('PUT', `/tanks/${part(id)}/device`, assignment, options),
    /** Acknowledges conditions of a tank until a time. */
    acknowledge: (
      id: string,
      acknowledgement: NewAcknowledgement,
      options?: ChangeOptions,
    ): Promise<Acknowledgements> =>
      this.#write('POST', `/tanks/${part(id)}/acknowledgements`, acknowledgement, options),
    /** The acknowledgements of a tank, including those that have ended, newest first. */
    acknowledgements: (id: string, options?: CallOptions): Promise<Acknowledgements> =>
      this.#get('list', `/tanks/${part(id)}/acknowledgements`, options),
    /** Withdraws an acknowledgement by its own ID. */
    withdraw: (acknowledgementId: string, options?: ChangeOptions): Promise<void> =>
      this.#write('DELETE', `/acknowledgements/${part(acknowledgementId)}`, undefined, options),
    /** Stops the mails about the tank until a time, except for a loss. */
    mute: (id: string, mute: NewMute, options?: ChangeOptions): Promise<Mute> =>
      this.#write('PUT', `/tanks/${part(id)}/mute`, mute, options),
    unmute: (id: string, options?: ChangeOptions): Promise<void> =>
      this.#write('DELETE', `/tanks/${part(id)}/mute`, undefined, options),
    /** Creates or replaces any number of tanks by owner and `custom_id`, or by `external_key`. */
    putAll: (lines: Iterable<TankLine>, options?: ChangeOptions): Promise<BulkAnswer> =>
      this.#putAll('/tanks/bulk', lines, options),
  };

  readonly notes = {
    /** All notes on a tank, newest first. */
    list: (tankId: string, options?: CallOptions): Promise<Notes> =>
      this.#get('list', `/tanks/${part(tankId)}/notes`, options),
    create: (tankId: string, note: NewNote, options?: ChangeOptions): Promise<Note> =>
      this.#write('POST', `/tanks/${part(tankId)}/notes`, note, options),
    update: (id: string, patch: NotePatch, options: ChangeOptions & { ifMatch: string }): Promise<Note> =>
      this.#write('PATCH', `/notes/${part(id)}`, patch, options),
    delete: (id: string, options: ChangeOptions & { ifMatch: string }): Promise<void> =>
      this.#write('DELETE', `/notes/${part(id)}`, undefined, options),
  };

  readonly depots = this.#callsFor<{ item: Depot; created: NewDepot; patch: DepotPatch; all: Depots }>('/depots');
  readonly trucks = this.#callsFor<{ item: Truck; created: NewTruck; patch: TruckPatch; all: Trucks }>('/trucks');
  readonly drivers = {
    ...this.#callsFor<{ item: Driver; created: NewDriver; patch: DriverPatch; all: Drivers }>('/drivers'),
    /** Erases the name and the phone number. */
    delete: (id: string, options: ChangeOptions & { ifMatch: string }): Promise<void> =>
      this.#write('DELETE', `/drivers/${part(id)}`, undefined, options),
  };

  /** Profiles, which read the messages of devices, and the gauges of tanks, which turn measures into levels. */
  readonly gauges = {
    retrieve: (tankId: string, options?: CallOptions): Promise<TankGauges> =>
      this.#get('tank_gauges', `/tanks/${part(tankId)}/gauges`, options),
    put: (tankId: string, gauges: NewTankGauges, options?: ChangeOptions & { ifMatch?: string }): Promise<TankGauges> =>
      this.#write('PUT', `/tanks/${part(tankId)}/gauges`, gauges, options),
    /** Compares the gauge with dial readings and deliveries. Stores nothing. */
    calibrate: (tankId: string, request: CalibrationRequest, options?: CallOptions): Promise<GaugeCalibration> =>
      this.#write('POST', `/tanks/${part(tankId)}/gauges/calibration`, request, options),
    profiles: (options?: CallOptions): Promise<GaugeProfiles> => this.#get('list', '/gauge-profiles', options),
    putProfile: (profile: string, definition: object, options?: ChangeOptions): Promise<GaugeProfile> =>
      this.#write('PUT', `/gauge-profiles/${part(profile)}`, { definition }, options),
    deleteProfile: (profile: string, options?: ChangeOptions): Promise<void> =>
      this.#write('DELETE', `/gauge-profiles/${part(profile)}`, undefined, options),
    assignments: (options?: CallOptions): Promise<ProfileAssignments> =>
      this.#get('list', '/profile-assignments', options),
    putAssignment: (
      selector: string,
      assignment: NewProfileAssignment,
      options?: ChangeOptions,
    ): Promise<ProfileAssignment> => this.#write('PUT', `/profile-assignments/${part(selector)}`, assignment, options),
    deleteAssignment: (selector: string, options?: ChangeOptions): Promise<void> =>
      this.#write('DELETE', `/profile-assignments/${part(selector)}`, undefined, options),
  };

  /** The weekdays on which trucks deliver: 1 is Monday, 7 is Sunday. */
  readonly deliveryDays = {
    list: (options?: CallOptions): Promise<DeliveryDaysList> => this.#get('list', '/delivery-days', options),
    putCity: (city: string, weekdays: number[], options?: ChangeOptions): Promise<DeliveryDays> =>
      this.#write('PUT', `/delivery-days/cities/${part(city)}`, { weekdays }, options),
    putTank: (tankId: string, weekdays: number[], options?: ChangeOptions): Promise<DeliveryDays> =>
      this.#write('PUT', `/tanks/${part(tankId)}/delivery-days`, { weekdays }, options),
  };

  readonly rounds = {
    /** Proposes the stops of a truck on a day. Stores nothing. */
    propose: (request: RoundRequest, options?: CallOptions): Promise<RoundProposal> =>
      this.#write('POST', '/round-proposals', request, options),
    create: (round: NewRound, options?: ChangeOptions): Promise<Round> =>
      this.#write('POST', '/rounds', round, options),
    retrieve: (id: string, options?: CallOptions): Promise<Round> => this.#get('round', `/rounds/${part(id)}`, options),
    /** Changes the given fields, such as the date, the driver or the state. */
    update: (id: string, patch: RoundPatch, options: ChangeOptions & { ifMatch: string }): Promise<Round> =>
      this.#write('PATCH', `/rounds/${part(id)}`, patch, options),
    /** Replaces all stops, in this order. */
    putStops: (id: string, stops: NewStop[], options: ChangeOptions & { ifMatch: string }): Promise<Round> =>
      this.#write('PUT', `/rounds/${part(id)}/stops`, { stops }, options),
    /** Takes the order from a solution of VROOM. */
    putVroomOrder: (id: string, solution: object, options: ChangeOptions & { ifMatch: string }): Promise<Round> =>
      this.#write('PUT', `/rounds/${part(id)}/vroom-order`, { solution }, options),
    /** Reports the outcome of a stop. */
    putOutcome: (id: string, stop: number, outcome: StopOutcome, options?: ChangeOptions): Promise<Round> =>
      this.#write('PUT', `/rounds/${part(id)}/stops/${stop}/outcome`, outcome, options),
    /** Records what a driver did at a stop of a printed round. The first entry counts, unless this is a correction. */
    recordStop: (id: string, stop: number, entry: NewStopEntry, options?: ChangeOptions): Promise<Round> =>
      this.#write('POST', `/rounds/${part(id)}/stops/${stop}/entries`, entry, options),
    /** Records that the round was printed. */
    recordPrint: (id: string, options?: ChangeOptions): Promise<RoundPrint> =>
      this.#write('POST', `/rounds/${part(id)}/prints`, undefined, options),
    /** Moves an open stop to another truck's round on the same day, or to a new round. Both rounds change, or neither. */
    moveStop: (
      id: string,
      stop: number,
      truckId: string,
      options: ChangeOptions & { ifMatch: string },
    ): Promise<MovedStop> =>
      this.#write('POST', `/rounds/${part(id)}/stops/${stop}/move`, { truck_id: truckId }, options),
    /** Creates a link that opens the round on the driver's phone, without an account. It is shown only once. */
    createDriverLink: (id: string, options?: ChangeOptions): Promise<DriverLink> =>
      this.#write('POST', `/rounds/${part(id)}/driver-link`, {}, options),
    /** Ends all links of the round. */
    endDriverLinks: (id: string, options?: ChangeOptions): Promise<void> =>
      this.#write('DELETE', `/rounds/${part(id)}/driver-link`, undefined, options),
    /** The entries about the stops, of the driver and of the office, in the order in which they arrived. */
    driverEntries: (id: string, options?: CallOptions): Promise<DriverEntries> =>
      this.#get('list', `/rounds/${part(id)}/driver-entries`, options),
  };

  readonly deliveryNotes = {
    /** Creates or replaces the note with this series (empty if it has none) and number. */
    put: (series: string, number: string, note: NewDeliveryNote, options?: ChangeOptions): Promise<DeliveryNote> =>
      this.#write('PUT', `/delivery-notes/${part(series === '' ? '-' : series)}/${part(number)}`, note, options),
    retrieve: (id: string, options?: CallOptions): Promise<DeliveryNote> =>
      this.#get('delivery_note', `/delivery-notes/${part(id)}`, options),
    /** Returns the note with this series (empty if it has none) and number. */
    retrieveByNumber: (series: string, number: string, options?: CallOptions): Promise<DeliveryNote> =>
      this.#get('delivery_note', `/delivery-notes/${part(series === '' ? '-' : series)}/${part(number)}`, options),
    /** Records that the note and a refill are one delivery, or that they are not. */
    pin: (id: string, pin: NewPin, options?: ChangeOptions): Promise<DeliveryNote> =>
      this.#write('POST', `/delivery-notes/${part(id)}/pins`, pin, options),
    /** Removes the pins of the note, so that the automatic match applies again. */
    unpin: (id: string, options?: ChangeOptions): Promise<void> =>
      this.#write('DELETE', `/delivery-notes/${part(id)}/pins`, undefined, options),
    /** Creates or replaces any number of notes by series and number. */
    putAll: (lines: Iterable<DeliveryNoteLine>, options?: ChangeOptions): Promise<BulkAnswer> =>
      this.#putAll('/delivery-notes/bulk', lines, options),
  };

  readonly dips = {
    /** Sends a level that a person read on the dial of a tank without a sensor. */
    create: (tankId: string, dip: NewDip, options?: ChangeOptions): Promise<Dip> =>
      this.#write('POST', `/tanks/${part(tankId)}/dips`, dip, options),
    /** Sets whether Tankwatch estimates the level between manual readings. */
    setTold: (tankId: string, isTold: boolean, options?: ChangeOptions): Promise<Estimate> =>
      this.#write('PUT', `/tanks/${part(tankId)}/estimate`, { is_told: isTold }, options),
  };

  readonly contacts = {
    /** All contacts, newest first. */
    list: (options?: CallOptions): Promise<Contacts> => this.#get('list', '/contacts', options),
    retrieve: (id: string, options?: CallOptions): Promise<Contact> =>
      this.#get('contact', `/contacts/${part(id)}`, options),
    create: (contact: NewContact, options?: ChangeOptions): Promise<Contact> =>
      this.#write('POST', '/contacts', contact, options),
    update: (id: string, patch: ContactPatch, options: ChangeOptions & { ifMatch: string }): Promise<Contact> =>
      this.#write('PATCH', `/contacts/${part(id)}`, patch, options),
    /** Mails a contact with a console role a link to sign in, or to the console if an issuer signs it in. An earlier link ends. */
    invite: (id: string, options?: ChangeOptions): Promise<Contact> =>
      this.#write('POST', `/contacts/${part(id)}/invite`, {}, options),
    delete: (id: string, options: ChangeOptions & { ifMatch: string }): Promise<void> =>
      this.#write('DELETE', `/contacts/${part(id)}`, undefined, options),
  };

  readonly webhooks = {
    /** All webhooks without their secrets: the enabled ones, then the disabled ones, each newest first. */
    list: (options?: CallOptions): Promise<Webhooks> => this.#get('list', '/webhooks', options),
    /** The response contains the secret, which is not shown again. */
    create: (webhook: NewWebhook, options?: ChangeOptions): Promise<WebhookWithSecret> =>
      this.#write('POST', '/webhooks', webhook, options),
    retrieve: (id: string, options?: CallOptions): Promise<Webhook> =>
      this.#get('webhook', `/webhooks/${part(id)}`, options),
    /** Deletes the webhook for good. */
    delete: (id: string, options: ChangeOptions & { ifMatch: string }): Promise<void> =>
      this.#write('DELETE', `/webhooks/${part(id)}`, undefined, options),
    update: (id: string, patch: WebhookPatch, options: ChangeOptions & { ifMatch: string }): Promise<Webhook> =>
      this.#write('PATCH', `/webhooks/${part(id)}`, patch, options),
    /** Messages are signed with both secrets during the overlap. */
    rotateSecret: (id: string, rotation: SecretRotation = {}, options?: ChangeOptions): Promise<WebhookWithSecret> =>
      this.#write('POST', `/webhooks/${part(id)}/rotate_secret`, rotation, options),
    /** Sends a test message within seconds. The result is then in `last_test`. */
    test: (id: string, options?: ChangeOptions): Promise<Webhook> =>
      this.#write('POST', `/webhooks/${part(id)}/test`, {}, options),
    /** Sends events again, with the same IDs. */
    replay: (id: string, events: NewReplay, options?: ChangeOptions): Promise<Replay> =>
      this.#write('POST', `/webhooks/${part(id)}/replay`, events, options),
    /** The deliveries to the webhook, newest event first. */
    deliveries: (id: string, parameters: PageParameters = {}, options?: CallOptions): Promise<WebhookDeliveries> =>
      this.#get('list', `/webhooks/${part(id)}/deliveries`, options, { ...parameters }),
  };

  readonly duty = {
    retrieve: (parameters: { from?: string } = {}, options?: CallOptions): Promise<DutyPlan> =>
      this.#get('duty_plan', '/duty', options, { ...parameters }),
    set: (plan: NewDutyPlan, options?: ChangeOptions): Promise<DutyPlan> => this.#write('PUT', '/duty', plan, options),
    textChannel: (options?: CallOptions): Promise<TextChannel> => this.#get('text_channel', '/text-channel', options),
    setTextChannel: (channel: NewTextChannel, options?: ChangeOptions): Promise<TextChannel> =>
      this.#write('PUT', '/text-channel', channel, options),
    deleteTextChannel: (options?: ChangeOptions): Promise<void> =>
      this.#write('DELETE', '/text-channel', undefined, options),
    reach: (options?: CallOptions): Promise<ReachList> => this.#get('list', '/reach', options),
    setReach: (id: string, reach: NewReach, options?: ChangeOptions): Promise<ContactReach> =>
      this.#write('PUT', `/contacts/${part(id)}/reach`, reach, options),
    verifyPhone: (id: string, code: string, options?: ChangeOptions): Promise<ContactReach> =>
      this.#write('POST', `/contacts/${part(id)}/reach/verification`, { code }, options),
    sendText: (id: string, options?: ChangeOptions): Promise<ContactReach> =>
      this.#write('POST', `/contacts/${part(id)}/reach/texts`, {}, options),
    escalations: (options?: CallOptions): Promise<Escalations> => this.#get('list', '/escalations', options),
    /** Takes the next step of an escalation now. */
    tellNow: (id: string, step: EscalationStep = {}, options?: ChangeOptions): Promise<Escalation> =>
      this.#write('POST', `/escalations/${part(id)}/step`, step, options),
  };

  readonly connectors = {
    list: (options?: CallOptions): Promise<Connectors> => this.#get('list', '/connectors', options),
    create: (connector: NewConnector, options?: ChangeOptions): Promise<Connector> =>
      this.#write('POST', '/connectors', connector, options),
    retrieve: (id: string, options?: CallOptions): Promise<Connector> =>
      this.#get('connector', `/connectors/${part(id)}`, options),
    update: (id: string, patch: ConnectorPatch, options: ChangeOptions & { ifMatch: string }): Promise<Connector> =>
      this.#write('PATCH', `/connectors/${part(id)}`, patch, options),
    delete: (id: string, options?: ChangeOptions): Promise<void> =>
      this.#write('DELETE', `/connectors/${part(id)}`, undefined, options),
    /** Asks the source within seconds. The result is then in `last_try`. */
    try: (id: string, options?: ChangeOptions): Promise<Connector> =>
      this.#write('POST', `/connectors/${part(id)}/try`, {}, options),
  };

  readonly imports = {
    /** Imports a CSV file or a workbook with customers or tanks. The same file, sent again, changes nothing. */
    send: async (
      file: Blob,
      { what, fileName, mapping, sheet, maxRefused }: ImportParameters = {},
      { dryRun, ...call }: CallOptions & Pick<ChangeOptions, 'dryRun'> = {},
    ): Promise<ImportReport> => {
      const text = await this.#transport.write(
        `${ROOT}/imports`,
        {
          what,
          file_name: fileName,
          mapping: mapping && JSON.stringify(mapping),
          sheet,
          max_refused: maxRefused,
          dry_run: dryRun,
        },
        { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: file },
        call,
      );
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of the operation
      return JSON.parse(text) as ImportReport;
    },
    /** The newest imports. */
    list: (options?: CallOptions): Promise<Imports> => this.#get('list', '/imports', options),
    /** Deletes what an import created, and restores what it changed. */
    undo: async (
      id: string,
      { dryRun, ...call }: CallOptions & Pick<ChangeOptions, 'dryRun'> = {},
    ): Promise<UndoneImport> => {
      const path = `${ROOT}/imports/${part(id)}/undo`;
      // Not retried: a second undo is refused, although the first one has succeeded.
      const once = { maxRetries: 0, ...call };
      const text = await this.#transport.write(path, { dry_run: dryRun }, { method: 'POST', headers: {} }, once);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of the operation
      return JSON.parse(text) as UndoneImport;
    },
  };

  /** Changes settings of the organization. `fleet.settings` returns them. */
  readonly updateOrganization = (patch: OrganizationPatch, options?: ChangeOptions): Promise<OrganizationSettings> =>
    this.#write('PATCH', '/organization', patch, options);

  /** Who changed what, newest first. */
  readonly audit = (parameters: PageParameters = {}, options?: CallOptions): Promise<AuditLog> =>
    this.#get('list', '/audit', options, { ...parameters });

  readonly devices = {
    /** The devices that are not on a tank. */
    list: (options?: CallOptions): Promise<StoredDevices> => this.#get('list', '/devices', options),
    /** The model of a device and what it measures, also before it is on a tank. */
    retrieve: (deviceId: string, options?: CallOptions): Promise<KnownDevice> =>
      this.#get('device', `/devices/${part(deviceId)}`, options),
    /** Returns the password of a device. `rotate` makes a new one. */
    password: (deviceId: string, { rotate = false, ...options }: ChangeOptions & { rotate?: boolean } = {}) =>
      this.#write<DevicePassword>('POST', `/devices/${part(deviceId)}/password`, { rotate }, options),
  };

  /** Sends any change. A program that stored the request and its `idempotencyKey` can repeat it after a restart. */
  readonly send = <Result>({ method, path, body }: ChangeRequest, options?: ChangeOptions): Promise<Result> =>
    this.#write(method, path, body, options);

  /** The calls for depots, trucks and drivers are the same. */
  #callsFor<Types extends ResourceTypes>(path: string) {
    const object = path.slice(1, -1);
    return {
      list: (options?: CallOptions): Promise<Types['all']> => this.#get('list', path, options),
      create: (item: Types['created'], options?: ChangeOptions): Promise<Types['item']> =>
        this.#write('POST', path, item, options),
      /** Creates or replaces the depot, truck or driver with your own number. */
      put: (externalKey: string, item: Types['created'], options?: ChangeOptions): Promise<Types['item']> =>
        this.#write('PUT', `${path}/external_key/${part(externalKey)}`, item, options),
      retrieveByKey: (externalKey: string, options?: CallOptions): Promise<Types['item']> =>
        this.#get(object, `${path}/external_key/${part(externalKey)}`, options),
      retrieve: (id: string, options?: CallOptions): Promise<Types['item']> =>
        this.#get(object, `${path}/${part(id)}`, options),
      update: (
        id: string,
        patch: Types['patch'],
        options: ChangeOptions & { ifMatch: string },
      ): Promise<Types['item']> => this.#write('PATCH', `${path}/${part(id)}`, patch, options),
    };
  }

  #get<Result extends { object: string }>(
    object: Result['object'],
    path: string,
    options?: CallOptions,
    query: Query = {},
  ): Promise<Result> {
    return this.#transport.get(object, `${ROOT}${path}`, query, options);
  }

  async #write<Result>(
    method: ChangeRequest['method'],
    path: string,
    body: object | undefined,
    options: ChangeOptions = {},
    query: Record<string, boolean | undefined> = {},
  ): Promise<Result> {
    const text = await this.#transport.write(
      `${ROOT}${path}`,
      { ...query, dry_run: options.dryRun },
      writeOf(method, body, options),
      options,
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types are generated from openapi.json
    return (text === '' ? undefined : JSON.parse(text)) as Result;
  }

  /** Divides the lines into requests by the limits of one request. */
  async #putAll(path: string, lines: Iterable<object>, options: ChangeOptions = {}): Promise<BulkAnswer> {
    const answer: BulkAnswer = { results: [], summary: { created: 0, updated: 0, unchanged: 0, refused: 0 } };
    for (const texts of batchesOf(lines)) {
      const write: Write = {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: texts.join('\n'),
      };
      const text = await this.#transport.write(`${ROOT}${path}`, { dry_run: options.dryRun }, write, options);
      const before = answer.results.length;
      for (const line of text.trimEnd().split('\n')) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of the operation
        const result = JSON.parse(line) as BulkResult | Pick<BulkAnswer, 'summary'>;
        if ('line' in result) answer.results.push({ ...result, line: result.line + before });
        else for (const status of STATUSES) answer.summary[status] += result.summary[status];
      }
    }
    return answer;
  }
}

const STATUSES = ['created', 'updated', 'unchanged', 'refused'] as const;

function writeOf(
  method: string,
  body: object | undefined,
  { ifMatch, ifNoneMatch, idempotencyKey }: ChangeOptions,
): Write {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
      // All attempts of this call send the same key, so a change whose response was lost is not made twice.
      'idempotency-key': idempotencyKey ?? crypto.randomUUID(),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

function* batchesOf(lines: Iterable<object>): Generator<string[]> {
  let [batch, bytes]: [string[], number] = [[], 0];
  for (const line of lines) {
    const text = JSON.stringify(line);
    const size = new TextEncoder().encode(text).length + 1;
    if (batch.length === MAX_LINES || (batch.length > 0 && bytes + size > MAX_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(text);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
