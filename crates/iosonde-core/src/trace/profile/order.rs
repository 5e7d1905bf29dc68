//! Whether requests follow each other on the device, and how far apart they are.
//!
//! btt(1) has the same but that requests which overlap are no step there, and that steps backwards
//! begin where the one before began (blktrace 1.2, btt/seek.c, `seek_dist()`).

/// Ends of earlier requests that a stream may go on from.
const STREAMS: usize = 16;

#[derive(Clone, Copy, Debug)]
struct Device {
    seen: bool,
    end: u64,
    ends: [u64; STREAMS],
    next: usize,
}

const NEW: Device = Device {
    seen: false,
    end: 0,
    ends: [u64::MAX; STREAMS],
    next: 0,
};

/// Steps between reads and writes, each device on its own.
#[derive(Clone, Debug)]
pub struct Order {
    devices: Vec<Device>,
    /// Requests that have one before them on their device; reads, writes.
    pub steps: [u64; 2],
    /// Those that begin where the one before them ended.
    pub sequential: [u64; 2],
    /// Those that begin where one of the last 16 ended.
    pub streamed: [u64; 2],
    /// Bytes from the end of the one before to their beginning: by bits, backwards then forwards.
    pub distances: [[u64; 65]; 2],
    /// Sum of these, without sign.
    pub travelled: u128,
}

impl Default for Order {
    fn default() -> Self {
        Self {
            devices: Vec::new(),
            steps: [0; 2],
            sequential: [0; 2],
            streamed: [0; 2],
            distances: [[0; 65]; 2],
            travelled: 0,
        }
    }
}

impl Order {
    #[inline]
    pub(super) fn add(&mut self, device: u32, read: bool, offset: u64, length: u64) {
        let number = device as usize;
        if number >= self.devices.len() {
            self.devices.resize(number + 1, NEW);
        }
        let device = &mut self.devices[number];
        let side = usize::from(!read);
        let end = offset + length;
        if device.seen {
            self.steps[side] += 1;
            let distance = offset.abs_diff(device.end);
            self.sequential[side] += u64::from(distance == 0);
            self.travelled += u128::from(distance);
            let bits = (u64::BITS - distance.leading_zeros()) as usize;
            self.distances[usize::from(offset >= device.end)][bits] += 1;
        }
        device.seen = true;
        device.end = end;
        if let Some(place) = device.ends.iter().position(|&one| one == offset) {
            self.streamed[side] += 1;
            device.ends[place] = end;
        } else {
            device.ends[device.next] = end;
            device.next = (device.next + 1) % STREAMS;
        }
    }

    /// Devices with requests.
    #[must_use]
    pub fn devices(&self) -> usize {
        self.devices.iter().filter(|one| one.seen).count()
    }
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn two_streams_in_turn_are_streams_but_not_sequential() {
        let mut order = Order::default();
        for number in 0..10 {
            order.add(0, true, number * 4096, 4096);
            order.add(0, true, (1 << 30) + number * 4096, 4096);
        }
        assert_eq!(order.steps[0], 19);
        assert_eq!(order.sequential[0], 0);
        assert_eq!(order.streamed[0], 18);
        order.add(1, false, 0, 512);
        order.add(1, false, 512, 512);
        assert_eq!((order.steps[1], order.sequential[1]), (1, 1));
        assert_eq!(order.devices(), 2);
    }
}
