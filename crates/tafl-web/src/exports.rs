//! The functions that JavaScript calls. Texts and files go through one piece of memory: JavaScript asks for room, writes
//! there, calls, and reads the answer where it lies.
#![expect(
    unsafe_code,
    reason = "an exported function has a name that nothing else may have; there are six"
)]

use crate::{Book, Engine, NetCard};
use std::cell::RefCell;

/// The engine, what it is given, and what it answers.
#[derive(Default)]
struct Desk {
    engine: Engine,
    input: Vec<u8>,
    card: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// Makes room for so many bytes of input, and returns where.
#[unsafe(no_mangle)]
extern "C" fn room(bytes: usize) -> *mut u8 {
    DESK.with_borrow_mut(|desk| {
        desk.input.clear();
        desk.input.resize(bytes, 0);
        desk.input.as_mut_ptr()
    })
}

/// Takes the input as the card of the network that comes next.
#[unsafe(no_mangle)]
extern "C" fn take_card() {
    DESK.with_borrow_mut(|desk| desk.card = std::mem::take(&mut desk.input));
}

/// Takes the input as a network; returns the length of what is wrong with it, 0 if nothing is.
#[unsafe(no_mangle)]
extern "C" fn take_net() -> usize {
    DESK.with_borrow_mut(|desk| {
        let card = serde_json::from_slice::<NetCard>(&desk.card);
        let added = card.map_err(|error| error.to_string()).and_then(|card| {
            desk.engine
                .add_net(card, &desk.input)
                .map_err(|error| error.to_string())
        });
        desk.output = added.err().unwrap_or_default().into_bytes();
        desk.output.len()
    })
}

/// Takes the input as the book; returns the length of what is wrong with it, 0 if nothing is.
#[unsafe(no_mangle)]
extern "C" fn take_book() -> usize {
    DESK.with_borrow_mut(|desk| {
        let book = serde_json::from_slice::<Book>(&desk.input);
        desk.output = match book {
            Ok(book) => {
                desk.engine.set_book(book);
                Vec::new()
            }
            Err(error) => error.to_string().into_bytes(),
        };
        desk.output.len()
    })
}

/// Answers the question in the input; returns the answer's length.
#[unsafe(no_mangle)]
extern "C" fn answer() -> usize {
    DESK.with_borrow_mut(|desk| {
        desk.output = desk.engine.answer(&desk.input);
        desk.output.len()
    })
}

/// Returns where the output lies.
#[unsafe(no_mangle)]
extern "C" fn output() -> *const u8 {
    DESK.with_borrow(|desk| desk.output.as_ptr())
}
