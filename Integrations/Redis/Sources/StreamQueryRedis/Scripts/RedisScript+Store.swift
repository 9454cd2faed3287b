extension RedisScript {
  /// Makes sure that the history belongs to this server.
  ///
  /// The first argument is `1` if a restart begins another history. With a fourth key, the server refuses
  /// commands of earlier connections of the same store object from now on. The further arguments are the
  /// milliseconds for which the server refuses them, and the number of this connection.
  static let arrive = RedisScript(
    """
    arrive(ARGV[1])
    insist()
    -- A server that is full refuses it; then commands still end with their time.
    if KEYS[4] then redis.pcall('SET', KEYS[4], ARGV[3], 'PX', ARGV[2]) end
    return { 'OK', text(now) }
    """
  )

  /// Reads an entry, or takes or finds a lease.
  ///
  /// Arguments: whether a restart begins another history, the limit of a value, the maximum age in
  /// microseconds or `-1`, the lease in milliseconds, the name of this attempt, the number of lost
  /// attempts, the names of the lost attempts, marks.
  static let begin = RedisScript(
    changing:
      """
      local function entry(asked)
        local f = try('HMGET', KEYS[4], 'h', 'v', 't', 'f', 'm', 's', 'r')
        if f.err or f[1] ~= history then return nil end
        local number, at, since = ordinal(f[2]), whole(f[3]), whole(f[6])
        if not (number and at and f[4] and f[5] and since) then return nil end
        if number > last or since >= number or at > now then return nil end
        -- Invalidations are not remembered for longer than an entry may live. Those since its lease
        -- count, not only those since its version: its lease may not have known a mark of the reader.
        if number < present - keep or ended(f[5], asked, since) then return nil end
        if #f[4] > 1024 then return nil end
        if redis.call('HSTRLEN', KEYS[4], 'b') > tonumber(ARGV[2]) then return nil end
        local bytes = redis.call('HGET', KEYS[4], 'b')
        if not bytes then return nil end
        local requested = whole(f[7])
        local span = requested and requested <= at and text(now - requested) or ''
        return { f[2], text(now - at), f[4], bytes, span }, now - at
      end

      -- Also on a connection from before: what it serves is believed.
      arrive(ARGV[1])
      local lost = tonumber(ARGV[6])
      local asked = given(7 + lost)
      local found, age = entry(asked)
      local function answer(...)
        local result = { ... }
        if found then for index = 1, #found do result[#result + 1] = found[index] end end
        return result
      end

      if found and age <= tonumber(ARGV[3]) then
        insist()
        return answer('entry')
      end
      local held = lease(asked)
      -- The lease of an attempt whose answer was lost: nobody fetches.
      local isLost = false
      for index = 7, 6 + lost do
        if held and held.holder == ARGV[index] then isLost = true end
      end
      if held and not isLost then
        insist()
        return answer('follows', history, version(last), text(held.left))
      end
      token = math.max(token + 1, now)
      redis.call('HSET', state, 'token', text(token))
      redis.call('DEL', KEYS[5])
      redis.call('HSET', KEYS[5], 'h', history, 'n', text(token), 's', text(last),
        'm', cmsgpack.pack(asked), 'o', ARGV[5], 'a', text(now))
      redis.call('PEXPIRE', KEYS[5], ARGV[4])
      return answer('leads', text(token), history)
      """
  )

  /// Extends the lease of an entry, if the lease still has the token.
  ///
  /// Arguments: the number of the store's history, which changes if the store loses its data; the token; the
  /// duration in milliseconds.
  static let renew = RedisScript(
    changing:
      """
      load()
      local held = lease({})
      if not held or ARGV[1] ~= history or held.token ~= ARGV[2] then return { 'lost' } end
      redis.call('PEXPIRE', KEYS[5], ARGV[3])
      return { 'done' }
      """
  )

  /// Makes a value the entry of a lease's key.
  ///
  /// Arguments: history, token, length of the log, key, lifetime in milliseconds, encoding's name, bytes.
  static let commit = RedisScript(
    changing:
      """
      load()
      local held = lease({})
      if not held or ARGV[1] ~= history or held.token ~= ARGV[2] then return { 'lost' } end
      local id = add(ARGV[3], 'k', 'c', 'key', ARGV[4])
      if not id then return { 'lost' } end
      put(id, held.since, held.taken, ARGV[5], ARGV[6], ARGV[7], held.marks)
      return { 'done', id }
      """
  )

  /// Ends a lease without a value.
  ///
  /// Arguments: length of the log, key, whether there is a failure, the failure, history or an empty text,
  /// token. The token is the last argument, because ``LateReply`` adds it for a caller that left.
  static let abandon = RedisScript(
    changing:
      """
      load()
      local held = lease({})
      if ARGV[5] ~= '' and ARGV[5] ~= history then return { 'lost' } end
      if not held or held.token ~= ARGV[6] then return { 'lost' } end
      redis.call('DEL', KEYS[5])
      if ARGV[3] == '1' then
        add(ARGV[1], 'k', 'a', 'key', ARGV[2], 'f', ARGV[4])
      else
        add(ARGV[1], 'k', 'a', 'key', ARGV[2])
      end
      return { 'done' }
      """
  )

  /// Makes a value the entry of a key.
  ///
  /// Arguments: length of the log, key, lifetime in milliseconds, name of the encoding, bytes, marks.
  static let write = RedisScript(
    changing:
      """
      load()
      local id = add(ARGV[1], 'k', 'w', 'key', ARGV[2]) or add(ARGV[1], 'k', 'w', 'key', ARGV[2])
      -- The last version before it, in whole numbers.
      put(id, last - 1, text(now), ARGV[3], ARGV[4], ARGV[5], cmsgpack.pack(given(6)))
      return { 'done', id }
      """
  )

  /// Invalidates marks.
  ///
  /// Arguments: length of the log, marks.
  static let invalidate = RedisScript(
    changing:
      """
      load()
      local fields = { 'k', 'i' }
      for index = 2, #ARGV do
        fields[#fields + 1] = 'm'
        fields[#fields + 1] = ARGV[index]
      end
      local id = add(ARGV[1], unpack(fields)) or add(ARGV[1], unpack(fields))
      for index = 2, #ARGV do redis.call('ZADD', marks, text(last), ARGV[index]) end
      -- Whatever is older than the youngest mark that is forgotten is invalid from then on.
      local function forget(youngest, remove, ...)
        if youngest[2] then floor = math.max(floor, tonumber(youngest[2])) end
        if youngest[2] then redis.call(remove, marks, ...) end
      end
      local oldest = text(math.max(0, math.min(last, present) - keep))
      local old = redis.call('ZREVRANGEBYSCORE', marks, oldest, '-inf', 'WITHSCORES', 'LIMIT', 0, 1)
      forget(old, 'ZREMRANGEBYSCORE', '-inf', oldest)
      count = redis.call('ZCARD', marks)
      if count > most then
        -- A few at once, so that no call takes long, and not one by one.
        local rank = count - most + 1023
        forget(redis.call('ZRANGE', marks, rank, rank, 'WITHSCORES'), 'ZREMRANGEBYRANK', 0, rank)
        count = redis.call('ZCARD', marks)
      end
      if floor > last then begin() end
      redis.call('HSET', state, 'marks', text(count), 'floor', text(floor))
      return { 'done', id }
      """
  )

  /// Begins another history: all earlier entries and leases are invalid.
  static let erase = RedisScript(
    changing:
      """
      load()
      begin()
      return { 'done' }
      """
  )

  /// Reads the log.
  ///
  /// Arguments: whether a restart begins another history, the position's history or an empty text,
  /// the position's version, the maximum number of messages.
  static let changes = RedisScript(
    """
    arrive(ARGV[1])
    insist()
    local top = try('XREVRANGE', log, '+', '-', 'COUNT', '1')
    -- Somebody else wrote there.
    if top.err or (top[1] and (ordinal(top[1][1]) or math.huge) > last) then begin() end
    local from = ordinal(ARGV[3])
    if ARGV[2] == '' then return { 'changes', history, version(last), {} } end
    if ARGV[2] ~= history or not from or from > last then
      return { 'gap', history, version(last) }
    end
    if from == last then return { 'changes', history, version(last), {} } end
    local messages = redis.call('XRANGE', log, '(' .. ARGV[3], '+', 'COUNT', ARGV[4])
    if #messages == 0 then return { 'gap', history, version(last) } end
    return { 'changes', history, version(last), messages }
    """
  )
}
